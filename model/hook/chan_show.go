package hook

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/surewake/surewake/model/explore"
)

// show returns a value of checked code as lanes show it. It calls no methods, which may be checked
// code, and reads no memory except the value's own, because another goroutine could be writing it.
func show(v any) string {
	if now, ok := v.(time.Time); ok {
		return "after " + now.Sub(explore.Epoch).String()
	}
	return showValue(reflect.ValueOf(v), 2)
}

func showValue(v reflect.Value, depth int) string {
	switch v.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if v.Type() == reflect.TypeFor[time.Duration]() {
			return time.Duration(v.Int()).String()
		}
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits())
	case reflect.String:
		if s := v.String(); len(s) <= 24 {
			return fmt.Sprintf("%q", s)
		}
		return fmt.Sprintf("%.21q...", v.String())
	case reflect.Pointer, reflect.Chan, reflect.Map, reflect.Func, reflect.UnsafePointer:
		return explore.PointerName(v.UnsafePointer())
	case reflect.Slice:
		return fmt.Sprintf("%d values", v.Len())
	case reflect.Interface:
		if depth == 0 {
			return v.Elem().Type().String()
		}
		return showValue(v.Elem(), depth)
	case reflect.Struct:
		if v.NumField() == 0 {
			return "{}"
		}
		if depth == 0 {
			return "{...}"
		}
		var fields []string
		for i := range min(v.NumField(), 4) {
			fields = append(fields, showValue(v.Field(i), depth-1))
		}
		if v.NumField() > 4 {
			fields = append(fields, "...")
		}
		return "{" + strings.Join(fields, " ") + "}"
	}
	return v.Type().String()
}
