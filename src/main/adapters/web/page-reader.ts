import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import { fetchOn, reasonOf, wayTo } from '#adapters/system/outgoing/outgoing.ts'
import { fetchPinned } from '#adapters/system/outgoing/pinned.ts'
import { portOf } from '#adapters/system/outgoing/read-outgoing.ts'
import type { PageOutcome, PageReader } from '#core/ports/page-reader.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { hostOf, namesHost } from '#shared/tools/web-address.ts'
import { convertPage, wordsOfPage } from './convert-page.ts'
import { decodePage, kindOf, readType } from './page-text.ts'
import { isPublicAddress } from './public-address.ts'

export interface PageReaderOptions {
  /** Path of `page-worker`. */
  readonly workerPath: string
  readonly readPdf: (bytes: Uint8Array, signal: AbortSignal) => Promise<readonly string[]>
  /** Hosts of this machine and of private networks that the person named. Asked for each page. */
  readonly privateHosts: () => readonly string[]
  /** How names are resolved. By the system when absent. */
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>
  readonly bounds?: Partial<Bounds>
}

interface Bounds {
  /** Bytes of one answer, after it was unpacked. */
  readonly bytes: number
  /** Milliseconds for one page with its redirects. */
  readonly ms: number
  readonly redirects: number
  /** Milliseconds for which a page is not asked for again. */
  readonly keptMs: number
}

const usual: Bounds = { bytes: 5 * 1024 * 1024, ms: 30_000, redirects: 5, keptMs: 15 * 60_000 }
/** Characters of all pages that are kept. */
const mostKept = 20 * 1024 * 1024

type Read = Extract<PageOutcome, { readonly kind: 'read' }>

/** Reads pages of the public internet. What it kept of a page is for whoever asks next, in any thread. */
export function createPageReader(options: PageReaderOptions): PageReader {
  const bounds = { ...usual, ...options.bounds }
  const kept = new LRUCache<string, Read>({
    ...{ maxSize: mostKept, ttl: bounds.keptMs },
    sizeCalculation: ({ text }, key) => text.length + key.length + 1,
  })
  return {
    async read(address, signal) {
      const known = kept.get(address)
      if (known) return { ...known, wasKept: true }
      const late = AbortSignal.timeout(bounds.ms)
      try {
        const outcome = await readPage(address, AbortSignal.any([signal, late]), options, bounds)
        // A page of a private host is often one that the person works on, and nobody may read it once it is not named.
        const isKept = outcome.kind === 'read' && outcome.text.length < mostKept / 4 && !isNamed(address, options)
        if (isKept) kept.set(address, outcome)
        return outcome
      } catch (error) {
        signal.throwIfAborted()
        if (late.aborted) return failed(`${shown(address)} took longer than ${Math.round(bounds.ms / 1000)} s.`)
        return failed(`${shown(address)} could not be read: ${beginningOf(oneLine(reasonOf(error)), 500)}.`)
      }
    },
  }
}

async function readPage(
  address: string,
  signal: AbortSignal,
  options: PageReaderOptions,
  bounds: Bounds,
): Promise<PageOutcome> {
  const host = hostOf(address)
  let url = URL.parse(address)
  // What rules judged is what is asked: nobody else reads this address as another host.
  if (url === null || hostOf(url.href) !== host)
    return failed(
      `${shown(address)} is written in an unusual way. Write it as ${shown(url?.href ?? 'https://host/path')}.`,
    )
  for (let redirects = 0; redirects <= bounds.redirects; redirects += 1) {
    const asked = await ask(url, signal, options)
    if (asked.kind !== 'answered') return asked
    await using _ = asked.connection
    const { response } = asked
    const next = nextAddress(response, url)
    // The connection ends with this round, so the body is awaited in it.
    if (next === null) return await readAnswer(response, url, signal, options, bounds)
    await response.body?.cancel()
    if (hostOf(next.href) !== host || (url.protocol === 'https:' && next.protocol !== 'https:') || next.username !== '')
      return { kind: 'moved', to: shown(next.href) }
    url = next
  }
  return failed(`${shown(address)} redirects more than ${bounds.redirects} times.`)
}

function nextAddress({ status, headers }: Response, from: URL): URL | null {
  const location = headers.get('location')
  return [301, 302, 303, 307, 308].includes(status) && location !== null ? URL.parse(location, from) : null
}

type Asked =
  | { readonly kind: 'answered'; readonly response: Response; readonly connection: AsyncDisposable }
  | Extract<PageOutcome, { readonly kind: 'failed' }>

/**
 * Resolves the name once and connects to exactly what it checked. A proxy resolves names itself: then a name that is private here
 * is refused all the same, and what the proxy reaches for any other is up to the proxy.
 */
async function ask(url: URL, signal: AbortSignal, options: PageReaderOptions): Promise<Asked> {
  const init: RequestInit = {
    ...{ signal, redirect: 'manual', credentials: 'omit' },
    headers: { accept: 'text/html, text/markdown, text/plain, application/json, */*;q=0.5', 'user-agent': 'Coppice' },
  }
  // Found once: asked again, a script of the network may name another way, on which nobody checked the address.
  const way = await wayTo(url)
  const isDirect = way.proxy === null
  const addresses = await addressesOf(url, options).catch((error: unknown) => {
    if (isDirect) throw error
    return []
  })
  const named = isNamed(url.href, options)
  const closed = named ? undefined : addresses.find(({ address }) => !isPublicAddress(address))
  if (closed !== undefined || (!named && isLocalName(url.hostname)))
    return failed(
      `${url.host} is not on the public internet (${closed?.address ?? 'a name of this machine or network'}), and was not asked. The user can name it in the setting web.private_hosts.`,
    )
  if (isDirect) return { kind: 'answered', ...(await fetchPinned(url, init, addresses)) }
  return {
    kind: 'answered',
    response: await fetchOn(way, url, init),
    connection: { async [Symbol.asyncDispose]() {} },
  }
}

/** True for a host that the person named, at exactly this port where they named one. */
function isNamed(address: string, { privateHosts }: PageReaderOptions): boolean {
  const url = URL.parse(address)
  return url !== null && privateHosts().some((one) => namesHost(one, `${url.hostname}:${portOf(url)}`, true))
}

async function addressesOf(
  { hostname }: URL,
  { resolve = lookUp }: PageReaderOptions,
): Promise<readonly LookupAddress[]> {
  const name = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(name)
  if (family !== 0) return [{ address: name, family }]
  const found = await resolve(name)
  if (found.length === 0) throw new Error('its name leads nowhere')
  return found
}

function lookUp(name: string): Promise<readonly LookupAddress[]> {
  return dns.lookup(name, { all: true })
}

/** Names that are never those of somebody else's server, also where a proxy resolves them. */
function isLocalName(name: string): boolean {
  return (
    isIP(name.replace(/^\[|\]$/g, '')) === 0 &&
    (!name.includes('.') || /\.(localhost|local|localdomain|internal|intranet|corp|home|home\.arpa|lan)$/.test(name))
  )
}

async function readAnswer(
  response: Response,
  url: URL,
  signal: AbortSignal,
  { workerPath, readPdf }: PageReaderOptions,
  bounds: Bounds,
): Promise<PageOutcome> {
  const address = shown(url.href)
  if (!response.ok) {
    await response.body?.cancel()
    return failed(`${address} answered with status ${response.status}.`)
  }
  const { type, charset } = readType(response.headers.get('content-type'))
  const { bytes, isWhole } = await readBody(response, bounds.bytes)
  const kind = kindOf(type, bytes)
  const read = (text: string): Read => ({ kind: 'read', address, text, type: type || kind, isWhole, wasKept: false })
  if (kind === 'other') return failed(`${address} is ${type || 'no text'}, which fetch_url does not read.`)
  if (kind === 'pdf') {
    if (!isWhole) return failed(`${address} is a PDF of more than ${Math.round(bounds.bytes / 1024 / 1024)} MB.`)
    const pages = await readPdf(bytes, signal)
    return read(pages.map((page, index) => `[page ${index + 1}]\n${page}`).join('\n\n'))
  }
  const text = decodePage(bytes, charset)
  if (kind === 'text') return read(text)
  return read((await convertPage(workerPath, { html: text, address }, signal)) ?? wordsOfPage(text))
}

/** The beginning of a body, at most so many bytes after it was unpacked. */
async function readBody(
  { body }: Response,
  most: number,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    parts.push(part)
    size += part.length
    // Leaving the loop cancels the rest.
    if (size > most) return { bytes: Buffer.concat(parts).subarray(0, most), isWhole: false }
  }
  return { bytes: Buffer.concat(parts), isWhole: true }
}

function failed(message: string): Extract<PageOutcome, { readonly kind: 'failed' }> {
  return { kind: 'failed', message }
}

/** An address that fits into a sentence, without a login. */
function shown(address: string): string {
  const url = URL.parse(address)
  if (url) url.username = url.password = ''
  const text = url?.href ?? address
  return text.length > 500 ? `${text.slice(0, 500)}…` : text
}
