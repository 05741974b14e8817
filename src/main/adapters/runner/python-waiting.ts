import type { MontyRepl } from '@pydantic/monty'
import type { AwaitedRound } from '#core/ports/code-runner.ts'
import type { Awaited, PythonChildRun } from './protocol.ts'

/**
 * Monty has no call that waits, and none that leaves it which code cannot catch – but for its own limits. So a function that
 * has no result yet asks for more memory than there is: no `except` and no `finally` runs, and what it asked for is read
 * afterwards. The code is then run again from its start, with the results.
 */
const functions = `
def run_subagents(tasks):
  asked = []
  for task in tasks:
    if isinstance(task, str):
      task = {'description': task}
    one = [task.get('description'), task.get('id'), task.get('type')]
    for part in one:
      if not (part is None or (isinstance(part, str) and part != '')):
        raise TypeError('run_subagents takes a list of texts, or of {"description": ..., "id": ..., "type": ...}, each a text.')
    if one[0] is None:
      raise TypeError('A task needs its text as "description".')
    asked.append(one)
  if asked == []:
    return []
  at = _waiting_['at']
  rounds = _waiting_['rounds']
  if at < len(rounds) and rounds[at][0] == asked:
    _waiting_['at'] = at + 1
    return rounds[at][1]
  _waiting_['asked'] = asked
  'x' * 10000000000000

def run_subagent(description, id=None, type=None):
  return run_subagents([{'description': description, 'id': id, 'type': type}])[0]
`

const refusing = ['run_subagent', 'run_subagents']
  .map((name) => `def ${name}(*args, **more):\n  raise RuntimeError('This agent may have no subagents here.')\n`)
  .join('\n')

/** Gives the code the functions that wait for subagents. What an earlier run kept of them does nothing. */
export function prepareWaiting(repl: MontyRepl, { rounds, state }: PythonChildRun): void {
  if (rounds !== null) {
    repl.feed(
      `import json as _json_\n_waiting_ = {'at': 0, 'asked': None, 'rounds': _json_.loads(${literal(roundsJson(rounds))})}`,
    )
    repl.feed(functions)
  } else if (state !== null) repl.feed(refusing)
}

/** What is kept for later runs holds no results. */
export function forgetRounds(repl: MontyRepl, { rounds }: PythonChildRun): void {
  if (rounds !== null) repl.feed('_waiting_ = None')
}

/** What the code waits for; undefined for code that ended otherwise. */
export function awaitedIn(repl: MontyRepl, { rounds }: PythonChildRun): Awaited | undefined {
  if (rounds === null) return undefined
  const asked = read(repl, 'asked')
  if (!Array.isArray(asked)) return undefined
  const tasks = asked.map(([description, id, type]) =>
    JSON.stringify({ description, ...(id !== null && { id }), ...(type !== null && { type }) }),
  )
  return { round: Number(read(repl, 'at')), tasks }
}

/** Undefined when the code has made something else of it. */
function read(repl: MontyRepl, name: 'asked' | 'at'): unknown {
  try {
    return repl.feed(`_waiting_['${name}']`)
  } catch {
    return undefined
  }
}

/** Each as `[[description, id, type], …]` and its results, as the functions compare and give them. */
function roundsJson(rounds: readonly AwaitedRound[]): string {
  const tasks = (round: AwaitedRound) =>
    round.tasks.map((task) => {
      const { description, id = null, type = null } = JSON.parse(task)
      return [description, id, type]
    })
  return JSON.stringify(rounds.map((round) => [tasks(round), round.results.map((result) => JSON.parse(result))]))
}

/** A text of JSON without half characters is a text of Python. */
function literal(text: string): string {
  return JSON.stringify(text.toWellFormed())
}
