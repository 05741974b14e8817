/** A rule of a profile: what it says, the operations, and the filters, of which one must match. */
interface Rule {
  readonly verdict: 'allow' | 'deny'
  readonly operations: readonly string[]
  readonly filters: readonly Expression[]
}
type Expression = string | readonly Expression[]

/**
 * Judges a profile as `sandbox-exec` does, for the part of its language that the app writes: of all rules that match, the
 * last one decides. `subject` is a path, or words such as `tcp localhost:80`.
 */
export function decide(profile: string, operation: string, subject: string): boolean {
  let verdict = false
  for (const rule of readRules(profile)) {
    const isAbout = rule.operations.some((one) => matchesOperation(one, operation))
    if (isAbout && (rule.filters.length === 0 || rule.filters.some((filter) => matches(filter, subject))))
      verdict = rule.verdict === 'allow'
  }
  return verdict
}

function readRules(profile: string): readonly Rule[] {
  return read(profile).flatMap((expression) => {
    const [verdict, ...rest] = typeof expression === 'string' ? [] : expression
    if (verdict !== 'allow' && verdict !== 'deny') return []
    const operations = rest.filter((one) => typeof one === 'string')
    return [{ verdict, operations, filters: rest.filter((one) => typeof one !== 'string') }]
  })
}

function matchesOperation(written: string, operation: string): boolean {
  return (
    written === 'default' ||
    written === operation ||
    (written.endsWith('*') && operation.startsWith(written.slice(0, -1)))
  )
}

function matches(filter: Expression, subject: string): boolean {
  if (typeof filter === 'string') throw new Error(`not a filter: ${filter}`)
  const [name, ...rest] = filter
  const [first = ''] = rest
  switch (name) {
    case 'literal':
      return subject === first
    case 'subpath':
      return subject === first || subject.startsWith(first === '/' ? '/' : `${String(first)}/`)
    case 'local':
    case 'remote': {
      const [kind, place = ''] = rest
      if (kind === 'ip')
        return subject === `tcp ${String(place)}` || (place === 'localhost:*' && subject.startsWith('tcp localhost:'))
      return subject.startsWith('/') && matches(place, subject)
    }
    case 'global-name':
    case 'ipc-posix-name':
    case 'sysctl-name':
      return subject === first
    case 'sysctl-name-prefix':
      return subject.startsWith(String(first))
    case 'target':
      return subject === first
    case 'socket-domain':
      return subject === first
    default:
      throw new Error(`an unknown filter: ${JSON.stringify(filter)}`)
  }
}

/** Reads lists, words and strings. Throws for anything that is not closed. */
function read(text: string): readonly Expression[] {
  const tokens = [...text.matchAll(/\s+|([()]|"(?:[^"\\]|\\.)*"|[^\s()"]+)|(.)/gs)].flatMap(([, token, odd]) => {
    if (odd !== undefined) throw new Error('the profile has a string that is not closed')
    return token === undefined ? [] : [token]
  })
  const stack: Expression[][] = [[]]
  for (const token of tokens) {
    const open = stack.at(-1) ?? []
    if (token === '(') stack.push([])
    else if (token === ')') {
      const closed = stack.pop() ?? []
      const above = stack.at(-1)
      if (!above) throw new Error('the profile closes too much')
      above.push(closed)
    } else open.push(token.startsWith('"') ? String(JSON.parse(token)) : token)
  }
  const [all = []] = stack
  if (stack.length !== 1) throw new Error('the profile closes too little')
  return all
}
