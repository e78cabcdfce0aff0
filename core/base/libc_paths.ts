/** Paths of the C library for 64-bit programs in distributions of Linux; it is loaded by path. */
export const LIBC_PATHS = [
  "/lib/x86_64-linux-gnu/libc.so.6",
  "/lib/aarch64-linux-gnu/libc.so.6",
  "/lib64/libc.so.6",
  "/usr/lib/libc.so.6",
];
