package runtime_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

// A crawler follows links: so many pages at a time, and so long between the beginnings of two
// requests.
type crawler struct {
	base   string
	open   *sw.Semaphore
	starts *sw.Channel[struct{}] // a value for each request that may begin

	lock sync.Mutex
	seen map[string]bool
}

var link = regexp.MustCompile(`href="([^"]*)"`)

// page gets a page and all that it links to, and returns how many pages that were.
func (c *crawler) page(cx sw.Cx, path string) (pages int, err error) {
	c.lock.Lock()
	again := c.seen[path]
	c.seen[path] = true
	c.lock.Unlock()
	if again {
		return 0, nil
	}
	body, err := c.get(cx, path)
	if err != nil {
		return 0, err
	}
	var tasks []*sw.Handle[int]
	for _, found := range link.FindAllStringSubmatch(body, -1) {
		tasks = append(tasks, sw.SpawnWith(cx, c.page, found[1]))
	}
	pages = 1
	for _, h := range tasks {
		n, err := h.Join(cx)
		if err != nil {
			return pages, err
		}
		pages += n
	}
	return pages, nil
}

func (c *crawler) get(cx sw.Cx, path string) (string, error) {
	if err := c.open.Acquire(cx, 1); err != nil {
		return "", err
	}
	defer c.open.ReleaseFrom(cx, 1)
	if _, err := c.starts.Receive(cx); err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(cx.Context(), http.MethodGet, c.base+path,
		nil) // cancelled with the task
	if err != nil {
		return "", err
	}
	return sw.SpawnBlocking(cx, func() (string, error) {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return string(body), err
	}).Join(cx)
}

// A crawler that opens no more than three pages at a time, and begins with no more than one in a
// millisecond.
func Example_crawler() {
	site := map[string]string{
		"/":  `<a href="/a"><a href="/b">`,
		"/a": `<a href="/"><a href="/c"><a href="/d">`,
		"/b": `<a href="/d"><a href="/e">`,
		"/c": `<a href="/c">`,
	}
	var lock sync.Mutex
	var requests []string
	open, most := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		open++
		most = max(most, open)
		requests = append(requests, r.URL.Path)
		lock.Unlock()
		fmt.Fprint(w, site[r.URL.Path])
		lock.Lock()
		open--
		lock.Unlock()
	}))
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()

	rt, err := sw.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	c := &crawler{
		base:   server.URL,
		open:   sw.NewSemaphore(3),
		starts: sw.NewChannel[struct{}](0),
		seen:   map[string]bool{},
	}
	pacer := sw.Submit(rt, func(cx sw.Cx) (none struct{}, err error) {
		tick := cx.NewTicker(time.Millisecond, sw.Delay)
		for {
			if err := tick.Next(cx); err != nil {
				return none, err
			}
			if err := c.starts.Send(cx, none); err != nil {
				return none, err
			}
		}
	})
	begin := time.Now()
	pages, err := sw.Submit(rt, func(cx sw.Cx) (int, error) { return c.page(cx, "/") }).
		Wait(context.Background())
	pacer.Cancel()
	slices.Sort(requests)
	fmt.Println(pages, "pages:", strings.Join(requests, " "), err)
	fmt.Println(most <= 3, time.Since(begin) >= 6*time.Millisecond)
	// Output:
	// 6 pages: / /a /b /c /d /e <nil>
	// true true
}
