import { useCallback, useEffect, useReducer, useRef } from 'react'
import {
  type Loaded,
  type Query,
  type QueryCache,
  type QueryInput,
  type QueryName,
  type QueryOutput,
  queryKey,
} from '../connection/query-cache.ts'
import { useSession } from './hooks.tsx'

const idle = { state: 'idle', value: null } as const
const firstLoad = { state: 'loading', value: null } as const

/**
 * Reads from the host and stays up to date. When the input or the version changes it asks again and shows the last
 * answer meanwhile, so that a list does not blink while somebody types. The second part asks again at once.
 *
 * @param input null asks nothing: the state is `idle`
 * @param version changes with the state the answer depends on; see `Query`
 */
export function useQuery<Name extends QueryName>(
  name: Name,
  input: QueryInput<Name> | null,
  version?: number | string,
): readonly [Loaded<QueryOutput<Name>>, () => void] {
  const query: Query<Name> | null = input === null ? null : { name, input, version }
  const queries = useWatched(query === null ? [] : [query])
  const shown = useRef<Loaded<QueryOutput<Name>>>(idle)
  shown.current = query === null ? idle : withLast(queries.read(query), shown.current)
  const latest = useRef(query)
  latest.current = query
  const reload = useCallback(() => {
    if (latest.current) queries.reload(latest.current)
  }, [queries])
  return [shown.current, reload]
}

/**
 * The answers to many inputs of one procedure, in their order, and a function that asks again for one of them. The
 * list is the same object until an answer changes.
 */
export function useQueries<Name extends QueryName>(
  name: Name,
  inputs: readonly QueryInput<Name>[],
  version?: number | string,
): readonly [readonly Loaded<QueryOutput<Name>>[], (input: QueryInput<Name>) => void] {
  const asked = inputs.map((input): Query<Name> => ({ name, input, version }))
  const queries = useWatched(asked)
  const known = useRef(new Map<string, Loaded<QueryOutput<Name>>>())
  const answers = asked.map((query) => {
    const place = JSON.stringify(query.input)
    const answer = withLast(queries.read(query), known.current.get(place) ?? idle)
    known.current.set(place, answer)
    return answer
  })
  const shown = useRef(answers)
  const isSame = answers.length === shown.current.length && answers.every((one, at) => one === shown.current[at])
  if (!isSame) shown.current = answers
  const reload = useCallback(
    (input: QueryInput<Name>) => queries.reload({ name, input, version }),
    [queries, name, version],
  )
  return [shown.current, reload]
}

/** Keeps the last answer until there is a new one. Returns the same object as long as nothing changes. */
function withLast<Value>(loaded: Loaded<Value> | null, last: Loaded<Value>): Loaded<Value> {
  if (loaded && (loaded.state !== 'loading' || loaded.value !== null)) return loaded
  if (last.value === null) return firstLoad
  return last.state === 'loading' ? last : { state: 'loading', value: last.value }
}

/**
 * Watches these queries while the component is mounted. Starts new ones before it stops old ones, so that no shared
 * answer is dropped.
 */
function useWatched(asked: readonly Query[]): QueryCache {
  const { queries } = useSession()
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const watched = useRef(new Map<string, () => void>())
  const drawn = asked.map((query) => queries.read(query))
  useEffect(() => {
    const before = watched.current
    const now = new Map<string, () => void>()
    for (const [place, query] of asked.entries()) {
      const key = queryKey(query)
      // An answer can arrive between drawing and watching.
      if (!before.has(key) && queries.read(query) !== drawn[place]) redraw()
      now.set(key, now.get(key) ?? before.get(key) ?? queries.watch(query, redraw))
    }
    for (const [key, stop] of before) if (!now.has(key)) stop()
    watched.current = now
  })
  useEffect(
    () => () => {
      for (const stop of watched.current.values()) stop()
      watched.current = new Map()
    },
    [],
  )
  return queries
}
