/** Makes the compiler count the cases of a closed union; throws when data from outside the types arrives anyway. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected case: ${JSON.stringify(value)}`)
}
