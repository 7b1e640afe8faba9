package instrument

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
)

// hidden has the checker's packages that the race detector does not see: the
// synchronization inside would order what the program leaves unordered.
var hidden = []string{"explore", "history", "virtual"}

// Build builds the test binary of one of the listed packages from rewritten
// copies, with or without the race detector.
func (s *Set) Build(ctx context.Context, pkg string, race bool, output string) error {
	p, err := s.planned(ctx, pkg, race)
	if err != nil {
		return err
	}
	if output, err = filepath.Abs(output); err != nil {
		return err
	}
	args := []string{"test", "-c", "-o", output, "-vet=off", "-overlay=" + p.overlay}
	if s.cfg.Debug {
		args = append(args, debugFlags(p.registered)...)
	} else {
		args = append(args, "-ldflags=-w") // linking takes half the time
	}
	args = append(args, s.buildFlags()...)
	var env []string
	if p.modfile != "" {
		args = append(args, "-modfile="+p.modfile)
		env = append(env, "GOWORK=off")
	}
	if race {
		args = append(args, raceFlags()...)
	}
	_, err = s.goCmdIn(ctx, p.dir, env, append(args, pkg)...)
	var build *BuildError
	if errors.As(err, &build) {
		// The compiler knows nothing of the originals.
		return &BuildError{Output: strings.NewReplacer(p.originals...).Replace(build.Output)}
	}
	return err
}

// debugFlags has the flags with which the rewritten packages keep their variables and lines.
func debugFlags(rewritten []string) []string {
	var flags []string
	for _, p := range rewritten {
		flags = append(flags, "-gcflags="+p+"=-N -l")
	}
	return flags
}

// raceFlags has the flags of a build with the race detector.
func raceFlags() []string {
	flags := []string{"-race"}
	for _, p := range hidden {
		flags = append(flags, "-gcflags="+modelPath+"/"+p+"=-race=false")
	}
	return flags
}
