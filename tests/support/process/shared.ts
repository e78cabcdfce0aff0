/**
 * What the tests of a file have one after the other, because its start costs more than they do. Returned is
 * what runs a test with it. A test that fails has it end, and the next one a new one. Called where a
 * file declares its tests.
 */
export function shared<Lab extends AsyncDisposable>(
  start: () => Promise<Lab>,
): (body: (lab: Lab) => Promise<void>) => Promise<void> {
  let lab: Lab | undefined;

  async function end(): Promise<void> {
    const ending = lab;
    lab = undefined;
    await ending?.[Symbol.asyncDispose]();
  }

  Deno.test.afterAll(end);
  return async (body) => {
    lab ??= await start();
    try {
      await body(lab);
    } catch (error) {
      await end();
      throw error;
    }
  };
}
