/** A package of a release, with its version. */
export interface Part {
  readonly name: string
  readonly version: string
  /** As npm writes it: `sha512-` and base64. Absent for what the lock file has no hash of. */
  readonly integrity?: string | undefined
}

/** What an entry of the lock file says. `name` is set where the folder has another one than the package. */
export interface Locked {
  readonly name?: string
  readonly version: string
  readonly integrity?: string
  readonly dev?: boolean
}
export type Lock = Readonly<Record<string, Locked>>

/** What is in the built files although no package of a build is: fonts that are copied, and Electron. */
const beside = ['@fontsource-variable/inter', '@fontsource-variable/jetbrains-mono', 'electron']

/**
 * Everything that a release ships: the packages that are installed beside it on any system, those in the built files
 * (`bundled`, by their paths in the lock file), and what is copied. Throws for one that the lock file does not pin.
 */
export function shippedParts(lock: Lock, bundled: readonly string[]): readonly Part[] {
  const installed = Object.keys(lock).filter((path) => path !== '' && lock[path]?.dev !== true)
  const paths = [...installed, ...bundled, ...beside.map((name) => `node_modules/${name}`)]
  return [...new Set(paths)].map((path) => {
    const locked = lock[path]
    if (locked === undefined) throw new Error(`The lock file does not have ${path}, which is shipped.`)
    const { name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), version, integrity } = locked
    return { name, version, ...(integrity !== undefined && { integrity }) }
  })
}

/** What a release is made of, as CycloneDX. A scope is a part of the name in a package URL, and is escaped there. */
export function sbomOf(app: Part, parts: readonly Part[]): string {
  const component = (part: Part) => ({
    ...{ type: 'library', name: part.name, version: part.version, 'bom-ref': url(part), purl: url(part) },
    ...(part.integrity !== undefined && { hashes: [{ alg: 'SHA-512', content: hex(part.integrity) }] }),
  })
  const once = [...new Map(parts.map((part) => [url(part), part])).values()]
  const components = once.sort((a, b) => (url(a) < url(b) ? -1 : 1)).map(component)
  const metadata = { component: { ...component(app), type: 'application' } }
  return `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components }, null, 2)}\n`
}

function url({ name, version }: Part): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function hex(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
}
