/** What a check said of one state. `unknown`: nothing can be said, such as of a merge with conflicts. */
export type Verdict = 'green' | 'red' | 'flaky' | 'unknown'

export interface Question {
  /** States in order, of which the last is the one that is red now. */
  readonly states: number
  /** What is known without a run. Undefined for nothing. */
  known(state: number): Verdict | undefined
  /** Runs the check on a state. `once`: a single run, whatever an earlier one said, that is never `flaky`. */
  ask(state: number, how: 'checked' | 'once'): Promise<Verdict>
  /** True for a check that is known to say different things of one state. */
  readonly isFlaky: boolean
  /** How many states are asked about at once. More than one asks about more of them, and takes less time. */
  readonly atOnce: number
}

export type FirstRed =
  /** `state` is red, and the one before it green. */
  | { readonly kind: 'found'; readonly state: number }
  /** The last state is green. */
  | { readonly kind: 'green' }
  /** Red from the first state on. */
  | { readonly kind: 'always' }
  /** It broke after the state `after` and not later than in `until`, and nothing can be said about those between. */
  | { readonly kind: 'between'; readonly after: number; readonly until: number }
  /** The check says different things of this state too often. */
  | { readonly kind: 'flaky'; readonly state: number }

/** Asked about without a result that counts. */
class CannotTell {
  readonly state: number
  constructor(state: number) {
    this.state = state
  }
}

/**
 * The state that a check is red in first, found by halving. When one state is asked about at once, n steps take at most
 * ⌈log₂ n⌉ + 1 runs, beside the one that says that the last state is red. The first state is taken for green, and asked about only
 * when the search ends beside it; else the older of the two verdicts that the answer stands on is heard again. A check that
 * contradicts itself is asked about each state until one verdict leads so far that the other is out of the question.
 */
export async function findFirstRed(question: Question): Promise<FirstRed> {
  const search = question.isFlaky ? null : await searchOnce(question)
  if (search !== null && search !== 'flaky') return search
  try {
    return await searchByVotes(question)
  } catch (problem) {
    if (problem instanceof CannotTell) return { kind: 'flaky', state: problem.state }
    throw problem
  }
}

async function searchOnce(question: Question): Promise<FirstRed | 'flaky'> {
  const last = question.states - 1
  const heard = new Map<number, number>()
  const ask = async (state: number): Promise<Verdict> => {
    const known = question.known(state)
    heard.set(state, heard.size)
    if (known !== undefined) return known
    return question.ask(state, 'checked')
  }
  const now = await ask(last)
  if (now === 'flaky') return now
  if (now !== 'red') return now === 'green' ? { kind: 'green' } : { kind: 'between', after: -1, until: last }
  const { low, high, hasDoubt } = narrowed(question, last)
  if (hasDoubt) return 'flaky'
  const ended = await halve(question, { low, high }, ask)
  if (ended === 'flaky' || 'kind' in ended) return ended
  if (ended.low === 0 && question.known(0) === undefined && !heard.has(0)) {
    const first = await ask(0)
    if (first === 'red') return { kind: 'always' }
    if (first === 'flaky') return first
    if (first === 'unknown') return { kind: 'between', after: -1, until: ended.high }
    return { kind: 'found', state: ended.high }
  }
  const older = (heard.get(ended.low) ?? -1) < (heard.get(ended.high) ?? -1) ? ended.low : ended.high
  const again = await question.ask(older, 'once')
  const isSame = again === (older === ended.high ? 'red' : 'green')
  return isSame ? { kind: 'found', state: ended.high } : 'flaky'
}

interface Bounds {
  /** Green, or taken for green. */
  readonly low: number
  /** Red. */
  readonly high: number
}

/** The last green that is known before the red ones at the end. */
function narrowed({ known }: Question, last: number): Bounds & { readonly hasDoubt: boolean } {
  let high = last
  for (let state = last - 1; state >= 0; state -= 1) {
    const verdict = known(state)
    if (verdict === 'flaky') return { low: 0, high: last, hasDoubt: true }
    if (verdict === 'green') return { low: state, high, hasDoubt: false }
    if (verdict === 'red') high = state
  }
  return high === 0 ? { low: -1, high, hasDoubt: false } : { low: 0, high, hasDoubt: false }
}

/** Asks about states between the bounds until nothing is left between them. */
async function halve(
  question: Pick<Question, 'atOnce'>,
  bounds: Bounds,
  ask: (state: number) => Promise<Verdict>,
): Promise<Bounds | FirstRed | 'flaky'> {
  if (bounds.low < 0) return { kind: 'always' }
  let { low, high } = bounds
  const unknown = new Set<number>()
  for (;;) {
    const open = between(low, high).filter((state) => !unknown.has(state))
    if (open.length === 0) break
    const chosen = spread(open, low, high, question.atOnce)
    const verdicts = await Promise.all(chosen.map(ask))
    if (verdicts.includes('flaky')) return 'flaky'
    const firstRed = chosen.findIndex((_, at) => verdicts[at] === 'red')
    const until = firstRed < 0 ? chosen.length : firstRed
    const lastGreen = chosen.slice(0, until).findLast((_, at) => verdicts[at] === 'green')
    high = firstRed < 0 ? high : (chosen[firstRed] ?? high)
    low = lastGreen ?? low
    for (const [at, state] of chosen.entries()) if (verdicts[at] === 'unknown') unknown.add(state)
  }
  return high - low > 1 ? { kind: 'between', after: low, until: high } : { low, high }
}

function between(low: number, high: number): readonly number[] {
  return Array.from({ length: Math.max(0, high - low - 1) }, (_, at) => low + 1 + at)
}

/** As many states as are asked about at once, evenly between the bounds, each the nearest that is still open. */
function spread(open: readonly number[], low: number, high: number, count: number): readonly number[] {
  const parts = Math.min(count, open.length) + 1
  const goals = Array.from({ length: parts - 1 }, (_, at) => low + ((high - low) * (at + 1)) / parts)
  const nearest = goals.map((goal) =>
    open.reduce((best, one) => (distance(one, goal) < distance(best, goal) ? one : best)),
  )
  return [...new Set(nearest)].sort((one, other) => one - other)
}

const distance = (one: number, other: number) => Math.abs(one - other)

/** How far one verdict leads. With one wrong verdict in five, four thousand such leads have one that is wrong. */
const lead = 6
/** Verdicts about one state after which a check is too unsure to say anything. */
const mostVotes = 25
/** The share of verdicts against the majority from which on a check says nothing reliable. */
const mostAgainst = 0.25

async function searchByVotes(question: Question): Promise<FirstRed> {
  const { known, states } = question
  const counts = new Map<number, { green: number; red: number }>()
  async function ask(state: number): Promise<Verdict> {
    const first = known(state)
    if (first === 'unknown') return first
    const votes = counts.get(state) ?? { green: 0, red: 0 }
    counts.set(state, votes)
    for (let asked = 0; asked < mostVotes; asked += 1) {
      if (Math.abs(votes.green - votes.red) >= lead) return votes.green > votes.red ? 'green' : 'red'
      const verdict = await question.ask(state, 'once')
      if (verdict === 'unknown') return verdict
      votes[verdict === 'green' ? 'green' : 'red'] += 1
    }
    throw new CannotTell(state)
  }
  const now = await ask(states - 1)
  if (now !== 'red') return now === 'green' ? { kind: 'green' } : { kind: 'between', after: -1, until: states - 1 }
  const ended = await halve(question, { low: 0, high: states - 1 }, ask)
  if (ended === 'flaky') throw new CannotTell(states - 1)
  if ('kind' in ended) return ended
  if (ended.low === 0 && (await ask(0)) !== 'green') return { kind: 'always' }
  const all = [...counts.values()]
  const against = all.reduce((sum, { green, red }) => sum + Math.min(green, red), 0)
  const total = all.reduce((sum, { green, red }) => sum + green + red, 0)
  if (against > total * mostAgainst) throw new CannotTell(ended.high)
  return { kind: 'found', state: ended.high }
}
