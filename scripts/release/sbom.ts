/** A package of a release, with its version. */
export interface Part {
  readonly name: string
  readonly version: string
}

/** What a release is made of, as CycloneDX. A scope is a part of the name in a package URL, and is escaped there. */
export function sbomOf(app: Part, parts: readonly Part[]): string {
  const component = (part: Part) => ({ type: 'library', ...part, 'bom-ref': url(part), purl: url(part) })
  const once = [...new Map(parts.map((part) => [url(part), part])).values()]
  const components = once.sort((a, b) => (url(a) < url(b) ? -1 : 1)).map(component)
  const metadata = { component: { ...component(app), type: 'application' } }
  return `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components }, null, 2)}\n`
}

function url({ name, version }: Part): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
