import { cleanAddress, loginIn, type RegistryToken, tokensBeside, webAddress } from './registry-token.ts'

export interface CargoRegistries {
  /** Settings for a command. cargo takes them from variables. */
  readonly variables: Readonly<Record<string, string>>
  readonly tokens: readonly RegistryToken[]
  readonly certificates: readonly string[]
}

/** cargo asks no registry that needs a login without having one. The proxy puts the real one in its place. */
const placeholder = 'given-outside-the-sandbox'

/** Reads cargo's settings and credentials of a person, the weakest first. Only sparse registries have logins here. */
export function readCargoConfig(texts: readonly string[]): CargoRegistries {
  const settings = new Map(texts.flatMap((text) => [...stringsOf(text)]))
  const names = [...settings.keys()].flatMap((key) => /^registries\.([\w-]+)\.index$/.exec(key)?.[1] ?? [])
  const chosen = settings.get('registry.default')
  const all = names.map((name) => readRegistry(name, settings))
  const cainfo = settings.get('http.cainfo')
  return {
    variables: Object.assign(
      chosen !== undefined && names.includes(chosen) ? { CARGO_REGISTRY_DEFAULT: chosen } : {},
      ...all.map(({ variables }) => variables),
    ),
    tokens: all.flatMap(({ tokens }) => tokens),
    certificates: cainfo === undefined ? [] : [cainfo],
  }
}

function readRegistry(name: string, settings: ReadonlyMap<string, string>) {
  const index = settings.get(`registries.${name}.index`) ?? ''
  const isSparse = index.startsWith('sparse+')
  const url = webAddress(isSparse ? index.slice('sparse+'.length) : index)
  if (url === null) return { variables: {}, tokens: [] }
  const token = isSparse ? settings.get(`registries.${name}.token`) : undefined
  const variable = `CARGO_REGISTRIES_${name.toUpperCase().replaceAll('-', '_')}`
  const clean = `${isSparse ? 'sparse+' : ''}${cleanAddress(url)}`
  const hasSecret = token !== undefined && token !== '' && clean.includes(token)
  return {
    variables: {
      ...(!hasSecret && { [`${variable}_INDEX`]: clean }),
      ...(token && {
        [`${variable}_TOKEN`]: placeholder,
        CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS: 'cargo:token',
      }),
    },
    tokens: token ? tokensBeside(url, token) : loginIn(url, true),
  }
}

const word = String.raw`(?:[\w-]+|"[^"\\]*")`
const dotted = String.raw`${word}(?:\s*\.\s*${word})*`
const text = String.raw`"(?:[^"\\]|\\.)*"|'[^']*'`
const heading = new RegExp(String.raw`^\s*\[\s*(${dotted})\s*\]`)
const setting = new RegExp(String.raw`^\s*(${dotted})\s*=\s*(?:(${text})|\{(.*)\})`)
const inTable = new RegExp(String.raw`(${dotted})\s*=\s*(${text})`, 'g')

/** The texts of a TOML file by their dotted names: lines with one text, and tables on one line. The rest is left out. */
function stringsOf(file: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let table: readonly string[] = []
  for (const line of file.split(/\r?\n/)) {
    const name = heading.exec(line)?.[1]
    if (name !== undefined) table = partsOf(name)
    const [, key, value, inline] = setting.exec(line) ?? []
    if (key === undefined) continue
    const path = [...table, ...partsOf(key)]
    if (value !== undefined) found.set(path.join('.'), textOf(value))
    for (const [, inner = '', one = ''] of inline?.matchAll(inTable) ?? [])
      found.set([...path, ...partsOf(inner)].join('.'), textOf(one))
  }
  return found
}

const partsOf = (name: string) => name.split('.').map((part) => part.trim().replaceAll('"', ''))

/** Escapes are left out, except of quotes and backslashes: neither addresses nor logins have others. */
function textOf(quoted: string): string {
  const inner = quoted.slice(1, -1)
  return quoted.startsWith("'") ? inner : inner.replace(/\\(["\\])/g, '$1')
}
