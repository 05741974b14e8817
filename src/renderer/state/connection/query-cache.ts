import type { Client } from './connection.ts'
import { type Refusal, refusalOf } from './refusal.ts'

/** The known state of an answer from the host. `idle` is a query without input, which is never sent. */
export type Loaded<Value> =
  | { readonly state: 'idle'; readonly value: null }
  /** `value` is the last answer, which is shown while a new one loads; null before the first answer. */
  | { readonly state: 'loading'; readonly value: Value | null }
  | { readonly state: 'ready'; readonly value: Value }
  | { readonly state: 'failed'; readonly value: null; readonly refusal: Refusal }

type Area = keyof Client & string
type MethodOf<Name extends Area> = keyof Client[Name] & string

/** A procedure of the contract, such as `files.read`. */
export type QueryName = { [Name in Area]: `${Name}.${MethodOf<Name>}` }[Area]

type ProcedureOf<Name extends QueryName> = Name extends `${infer In extends Area}.${infer Method}`
  ? Method extends MethodOf<In>
    ? Client[In][Method]
    : never
  : never
type Callable = (...input: never[]) => unknown
export type QueryInput<Name extends QueryName> = Parameters<Extract<ProcedureOf<Name>, Callable>>[0]
export type QueryOutput<Name extends QueryName> = Awaited<ReturnType<Extract<ProcedureOf<Name>, Callable>>>

/** One question to the host. */
export interface Query<Name extends QueryName = QueryName> {
  readonly name: Name
  readonly input: QueryInput<Name>
  /**
   * Changes with the state that the answer depends on. With a version, the host is asked once for each version;
   * without one, it is asked whenever another screen begins to watch the query.
   */
  readonly version?: number | string | undefined
}

/**
 * Answers of the host, shared by all screens that ask the same question. An answer is dropped when nobody watches it.
 */
export interface QueryCache {
  /** The known state; null before anybody watches the query. */
  read<Name extends QueryName>(query: Query<Name>): Loaded<QueryOutput<Name>> | null
  /**
   * Asks unless the answer is there or loading, and reports every change to `onChange`. Returns a function that stops
   * watching.
   */
  watch(query: Query, onChange: () => void): () => void
  /** Asks again. The last answer stays readable meanwhile, and an older load that is still running is aborted. */
  reload(query: Query): void
  /** Asks all watched queries of these procedures again, because what they show may have changed. */
  reloadAll(names: readonly QueryName[]): void
  /**
   * One answer for a caller that shows no progress. Joins a running load, and never rejects: a failure is the state
   * `failed`.
   */
  fetch<Name extends QueryName>(query: Query<Name>): Promise<Settled<QueryOutput<Name>>>
}

type Settled<Value> = Extract<Loaded<Value>, { readonly state: 'ready' | 'failed' }>

interface Entry {
  readonly query: Query
  loaded: Loaded<unknown>
  readonly watchers: Set<() => void>
  /** Aborts the running load; null if none is running. */
  request: AbortController | null
}

const firstLoad = { state: 'loading', value: null } as const

/** Names a query. Queries with the same key have the same answer. The input never changes. */
export function queryKey({ name, input, version }: Query): string {
  return `${name} ${JSON.stringify(version ?? null)} ${keyOfInput(input)}`
}

/** An input that names thousands of branches is written once. */
const inputKeys = new WeakMap<object, string>()

function keyOfInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return JSON.stringify(input ?? null)
  const key = inputKeys.get(input) ?? JSON.stringify(input)
  inputKeys.set(input, key)
  return key
}

/** Creates a cache for the answers of one host. */
export function createQueryCache(client: Client): QueryCache {
  const entries = new Map<string, Entry>()

  function load(query: Query, entry: Entry): void {
    entry.request?.abort()
    const request = new AbortController()
    entry.request = request
    const settle = (loaded: Loaded<unknown>): void => {
      if (entry.request !== request) return
      entry.request = null
      set(entry, loaded)
    }
    ask(client, query, request.signal).then(
      (value) => settle({ state: 'ready', value }),
      (error: unknown) => settle({ state: 'failed', value: null, refusal: refusalOf(error) }),
    )
  }

  function reload(query: Query): void {
    const entry = entries.get(queryKey(query))
    if (!entry) return
    load(query, entry)
    if (entry.loaded !== firstLoad) set(entry, { state: 'loading', value: entry.loaded.value })
  }

  // The key holds the procedure's name, so the stored answer has its type.
  const read = <Name extends QueryName>(query: Query<Name>) =>
    (entries.get(queryKey(query))?.loaded ?? null) as Loaded<QueryOutput<Name>> | null

  function watch(query: Query, onChange: () => void): () => void {
    const key = queryKey(query)
    const known = entries.get(key)
    const entry: Entry = known ?? { query, loaded: firstLoad, watchers: new Set(), request: null }
    entries.set(key, entry)
    const watcher = (): void => onChange()
    entry.watchers.add(watcher)
    if (!known) load(query, entry)
    else if (!entry.request && (query.version === undefined || entry.loaded.state === 'failed')) reload(query)
    return () => {
      entry.watchers.delete(watcher)
      if (entry.watchers.size > 0 || entries.get(key) !== entry) return
      entries.delete(key)
      entry.request?.abort()
      entry.request = null
    }
  }

  return {
    read,
    watch,
    reload,
    reloadAll(names) {
      for (const { query } of [...entries.values()]) if (names.includes(query.name)) reload(query)
    },
    fetch: (query) =>
      new Promise((resolve) => {
        const stop = watch(query, look)
        function look(): void {
          const loaded = read(query)
          if (loaded?.state !== 'ready' && loaded?.state !== 'failed') return
          stop()
          resolve(loaded)
        }
        look()
      }),
  }
}

function set(entry: Entry, loaded: Loaded<unknown>): void {
  entry.loaded = loaded
  for (const watcher of [...entry.watchers]) watcher()
}

type Call = (input: unknown, options: { readonly signal: AbortSignal }) => Promise<unknown>

async function ask(client: Client, { name, input }: Query, signal: AbortSignal): Promise<unknown> {
  const [area = '', method = ''] = name.split('.')
  const call = (client as unknown as Readonly<Record<string, Readonly<Record<string, Call>>>>)[area]?.[method]
  if (!call) throw new Error(`The contract has no procedure ${name}.`)
  return call(input, { signal })
}
