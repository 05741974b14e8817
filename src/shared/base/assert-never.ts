/** Makes the compiler check that a switch handles every case of a union. Throws if untyped data arrives anyway. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected case: ${JSON.stringify(value)}`)
}
