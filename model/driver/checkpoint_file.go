package driver

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A checkpoint is a line, and then as many bytes of JSON as it says:
//
//	surewake checkpoint VERSION LENGTH SHA-256
const checkpointLine = "surewake checkpoint %d %d %x\n"

// text returns the content of the file.
func (f *checkpointFile) text() ([]byte, error) {
	body, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	return append(lineFor(body), body...), nil
}

func lineFor(body []byte) []byte {
	return fmt.Appendf(nil, checkpointLine, CheckpointVersion, len(body), sha256.Sum256(body))
}

// parseCheckpoint is the inverse of text. The error says what is wrong with the file.
func parseCheckpoint(text []byte) (*checkpointFile, error) {
	line, body, _ := bytes.Cut(text, []byte("\n"))
	var version, length int
	var sum []byte
	switch n, _ := fmt.Sscanf(string(line)+"\n", checkpointLine, &version, &length, &sum); {
	case n < 1:
		return nil, errors.New("is no checkpoint, or is damaged: remove it to begin anew")
	case version != CheckpointVersion:
		return nil, fmt.Errorf("has version %d, this surewake reads version %d",
			version, CheckpointVersion)
	case n < 3:
		return nil, errors.New("is damaged: remove it to begin anew")
	case len(body) < length:
		return nil, fmt.Errorf("is cut short: it has %d bytes of %d; remove it to begin anew",
			len(body), length)
	}
	f := new(checkpointFile)
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if !bytes.HasPrefix(text, lineFor(body)) || d.Decode(f) != nil {
		return nil, errors.New("is damaged: remove it to begin anew")
	}
	if _, err := d.Token(); err != io.EOF || len(f.Asked) == 0 {
		return nil, errors.New("is damaged: remove it to begin anew")
	}
	return f, nil
}

// replaceFile makes text the content of a file, so that the file has the old content or the new one
// whenever the process or the machine ends.
func replaceFile(name string, text []byte) (err error) {
	unfinished := name + ".new"
	f, err := os.Create(unfinished)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(unfinished, name)
	}
	if err != nil {
		_ = os.Remove(unfinished)
		return err
	}
	if dir, err := os.Open(filepath.Dir(name)); err == nil {
		_ = dir.Sync() // some systems cannot
		_ = dir.Close()
	}
	return nil
}
