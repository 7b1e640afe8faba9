package flaky

import (
	"context"
	"errors"
	"testing"
)

type feed struct{ events chan string }

// subscribe closes the feed's events when ctx has ended.
func subscribe(ctx context.Context) *feed {
	f := &feed{events: make(chan string, 1)}
	go func() {
		<-ctx.Done()
		close(f.events)
	}()
	return f
}

func firstEvent(ctx context.Context, publish func(*feed)) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := subscribe(ctx)
	publish(f)
	event := <-f.events
	if event == "" {
		return "", errors.New("an empty event")
	}
	cancel()
	return event, nil
}

// verdict: proved
func TestContextLeak(t *testing.T) {
	_, err := firstEvent(context.Background(), func(f *feed) { f.events <- "" })
	if err == nil {
		t.Error("no error")
	}
}
