/** The families of models that definitions for other systems name, with their other spellings. */
const families: ReadonlyMap<string, string> = new Map([
  ...['sonnet', 'opus', 'haiku', 'fable'].map((name) => [name, name] as const),
  ['opusplan', 'opus'],
])

/** The family that a name means, such as `sonnet` or `sonnet[1m]`. Null for the name of one model. */
export function modelFamily(name: string): string | null {
  return families.get(name.toLowerCase().replace(/\[1m\]$/, '')) ?? null
}

/** The newest model of a family, by the numbers in the names. Null when no name is of the family. */
export function newestOf(family: string, ids: readonly string[]): string | null {
  const exact = ids.find((id) => id === family)
  if (exact !== undefined) return exact
  const word = new RegExp(`(^|[^a-z])${family}([^a-z]|$)`, 'i')
  const [newest] = ids.filter((id) => word.test(id)).toSorted((a, b) => compareVersions(versionOf(b), versionOf(a)))
  return newest ?? null
}

/** The numbers of the version, and then the date: `claude-3-5-sonnet-20241022` is 3, 5 and 20241022. */
function versionOf(id: string): readonly number[] {
  const numbers = [...id.replace(/[-@]v\d+(:\d+)?$/, '').matchAll(/\d+/g)].map(([digits]) => Number(digits))
  const [parts, dates] = [numbers.filter((one) => one < 1_000), numbers.filter((one) => one >= 1_000)]
  return [parts[0] ?? 0, parts[1] ?? 0, dates[0] ?? 0]
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((one, index) => one !== b[index])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
