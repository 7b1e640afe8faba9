//go:build !js && !wasip1

package driver

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two commands do not write to one checkpoint: the second one is refused while the first one has
// it, though it is of the same, and leaves it as it is.
func TestACheckpointIsOfOneCommand(t *testing.T) {
	opts := Options{Checkpoint: filepath.Join(t.TempDir(), "checkpoint")}
	require.NoError(t, opts.normalize())
	first, err := opts.openCheckpoint()
	require.NoError(t, err)
	_, err = opts.openCheckpoint()
	require.ErrorContains(t, err, "checkpoint: another command writes to it")
	require.ErrorAs(t, err, new(*UsageError))
	first.release()
	second, err := opts.openCheckpoint()
	require.NoError(t, err)
	second.release()
	left, err := os.ReadDir(filepath.Dir(opts.Checkpoint))
	require.NoError(t, err)
	require.Empty(t, left)
}

// The lock of a command that was killed is free, and its file stays.
func TestALockThatNobodyHolds(t *testing.T) {
	name := filepath.Join(t.TempDir(), "checkpoint.lock")
	require.NoError(t, os.WriteFile(name, nil, 0o666))
	l, err := lockFile(name)
	require.NoError(t, err)
	_, err = lockFile(name)
	require.ErrorIs(t, err, errLocked)
	l.release()
}

// Who has opened the lock just before its holder removed it does not hold it beside the next one,
// who makes it anew.
func TestALockThatIsRemoved(t *testing.T) {
	name := filepath.Join(t.TempDir(), "checkpoint.lock")
	first, err := lockFile(name)
	require.NoError(t, err)
	late, err := os.OpenFile(name, os.O_RDWR, 0)
	require.NoError(t, err)
	defer late.Close()
	first.release()
	if _, err := os.Stat(name); err == nil {
		t.Skip("no file is removed here that somebody has open")
	}
	has, err := lockOpened(late)
	require.NoError(t, err)
	require.False(t, has, "removed")
	next, err := lockFile(name)
	require.NoError(t, err)
	has, err = lockOpened(late)
	require.NoError(t, err)
	require.False(t, has, "of another one")
	next.release()
}

// What was found can be shown where nothing can be written, and is not gone on with there.
func TestACheckpointThatCannotBeLocked(t *testing.T) {
	dir := t.TempDir()
	opts := Options{Checkpoint: filepath.Join(dir, "checkpoint")}
	require.NoError(t, os.Mkdir(opts.Checkpoint+".lock", 0o777)) // no file can be made there
	require.NoError(t, opts.normalize())
	_, err := opts.openCheckpoint()
	require.ErrorContains(t, err, ".lock")

	f := sampleCheckpoint()
	for _, finished := range []bool{false, true} {
		f.Finished = finished
		text, err := f.text()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(opts.Checkpoint, text, 0o666))
		c, err := opts.openCheckpoint()
		if !finished {
			require.ErrorContains(t, err, ".lock")
			continue
		}
		require.NoError(t, err)
		c.release()
	}
}
