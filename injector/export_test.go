package injector

// Memory returns everything in which q could keep a value. Nobody may use q at the same time.
func (q *Queue[T]) Memory() []T { return q.slots }
