import { cleanAddress, linesWithout, loginIn, type ReadSettings, webAddress } from './registry-token.ts'

/** Settings whose values are addresses, several for some of them. */
const addressKeys = new Set(['extra-index-url', 'find-links', 'index-url'])
/** Settings that decide what an installation does and hold no secret. */
const harmless = new Set([
  ...['no-binary', 'no-index', 'only-binary', 'pre', 'prefer-binary', 'require-hashes', 'require-virtualenv'],
  ...['retries', 'timeout', 'trusted-host'],
])

type Section = Map<string, readonly string[]>

/** Reads the `pip.conf` files of a person, the weakest first, as one. */
export function readPipConfig(texts: readonly string[]): ReadSettings {
  const sections = new Map<string, Section>()
  for (const text of texts) readInto(sections, text)
  const values = [...sections.values()].flatMap((section) => [...section])
  const addresses = values
    .filter(([key]) => addressKeys.has(key))
    .flatMap(([, words]) => words.flatMap((word) => webAddress(word) ?? []))
  const tokens = addresses.flatMap((url) => loginIn(url, true))
  const secrets = addresses.map(({ password }) => password)
  const cleaned = [...sections].flatMap(([name, section]) => {
    const lines = linesWithout([...section].flatMap(cleanSetting), secrets)
    return lines.length === 0 ? [] : [`[${name}]`, ...lines]
  })
  return {
    cleaned: cleaned.map((line) => `${line}\n`).join(''),
    tokens,
    certificates: values.filter(([key]) => key === 'cert').flatMap(([, words]) => words.slice(0, 1)),
  }
}

/** Lines that are indented belong to the value above them. */
function readInto(sections: Map<string, Section>, text: string): void {
  let section: Section = new Map()
  let key = ''
  for (const line of text.split(/\r?\n/)) {
    const heading = /^\[([\w.-]+)\]/.exec(line)?.[1]
    const setting = /^([\w.-]+)\s*[=:]\s*(.*)$/.exec(line)
    if (/^\s*([#;]|$)/.test(line)) continue
    if (heading) {
      section = sections.get(heading) ?? new Map()
      sections.set(heading, section)
    } else if (setting) {
      key = (setting[1] ?? '').toLowerCase().replaceAll('_', '-')
      section.set(key, wordsOf(setting[2] ?? ''))
    } else if (/^\s/.test(line) && section.has(key)) {
      section.set(key, [...(section.get(key) ?? []), ...wordsOf(line)])
    }
  }
}

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean)

function cleanSetting([key, words]: readonly [string, readonly string[]]): readonly string[] {
  const kept = addressKeys.has(key)
    ? words.flatMap((word) => webAddress(word) ?? []).map(cleanAddress)
    : words.filter((word) => harmless.has(key) && !word.includes('@'))
  const [first, ...others] = kept
  if (first === undefined) return []
  // pip does not trim the value of an address.
  return [`${key} = ${first}${others.map((word) => `\n    ${word}`).join('')}`]
}
