// Package handlers has checks of handlers that TestMain has registered and that are closures: what
// their variables hold is not seen.
package handlers

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/surewake/surewake/model"
)

var mux = http.NewServeMux()

func TestMain(m *testing.M) {
	mux.HandleFunc("/", failsIfBIsFirst())
	http.HandleFunc("/", failsIfBIsFirst())
	os.Exit(m.Run())
}

func failsIfBIsFirst() http.HandlerFunc {
	first := ""
	return func(w http.ResponseWriter, r *http.Request) {
		if first == "" {
			first = r.URL.Path
		}
		if first == "/b" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}
}

// verdict: said handlers.mux .not made anew
func TestClosureThatHandles(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		path := []string{"/a", "/b"}[x.Choose(2)]
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		x.Assert(w.Code == http.StatusOK, "%s was first", path)
	})
}

// verdict: said http.DefaultServeMux .not made anew
func TestClosureThatHandlesForTheLibrary(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		path := []string{"/a", "/b"}[x.Choose(2)]
		w := httptest.NewRecorder()
		http.DefaultServeMux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		x.Assert(w.Code == http.StatusOK, "%s was first", path)
	})
}
