/**
 * Loaded before the tests: of a test that failed and whose resources then failed to close too, the
 * runner prints but "An error was suppressed during disposal". It prints causes, so here they are.
 */
Object.defineProperty(SuppressedError.prototype, "cause", {
  get(this: SuppressedError) {
    return new AggregateError([this.suppressed, this.error], "of the test, then of its disposal");
  },
});
