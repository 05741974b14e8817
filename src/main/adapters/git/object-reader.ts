import { spawn } from 'node:child_process'
import { DeliveryError } from '#core/ports/git-delivery.ts'
import { mayAskGit, wouldWait } from '../system/git/ask-git.ts'
import { questionsTo } from './ask-repository.ts'
import { gitProgram } from './run-git.ts'

export interface GitObject {
  readonly id: string
  readonly kind: 'commit' | 'tree' | 'blob' | 'tag'
  readonly bytes: Buffer
}

/** One git that reads objects of a repository until it is disposed of: starting one for each question costs more than the answer. */
export interface ObjectReader extends Disposable {
  /**
   * By an id or a name as git reads it, such as `main^{commit}`. Null for a name of nothing, and for what a partial clone has not
   * fetched. Throws `DeliveryError` when git does not answer.
   */
  read(name: string): Promise<GitObject | null>
}

interface Question {
  readonly name: string
  readonly answer: (found: GitObject | null) => void
  readonly fail: (error: Error) => void
}

/** Without a byte of an answer. */
const longestSilenceMs = 20_000
/** What git ends with when it gives up by itself. */
const diedByItself = 128

function cannotRead(why: string): Error {
  return new DeliveryError('refused', `Git cannot read the repository: ${why}.`)
}

/** `top` is the folder of the repository. Git starts with the first question. */
export function openObjectReader(top: string): ObjectReader {
  const open = new Set<Question>()
  let running: ReturnType<typeof start> | undefined
  function ask(question: Question): void {
    if (running === undefined && !mayAskGit(top)) {
      question.fail(cannotRead(wouldWait))
      return
    }
    open.add(question)
    running ??= start()
    running.stdin.write(`${question.name}\n`)
  }
  function start() {
    const { args, env } = questionsTo(top, ['cat-file', '--batch'])
    const [program = '', ...words] = gitProgram(args)
    const child = spawn(program, words, { cwd: top, env, stdio: ['pipe', 'pipe', 'ignore'] })
    const silence = setTimeout(() => child.kill('SIGKILL'), longestSilenceMs)
    const take = createAnswers((found) => {
      const [next] = open
      if (next === undefined) return
      open.delete(next)
      next.answer(found)
    })
    child.stdout.on('data', (part: Buffer) => {
      silence.refresh()
      take(part)
    })
    const end = (status: number | null) => {
      clearTimeout(silence)
      if (running === child) running = undefined
      goOn(status)
    }
    child.on('error', () => end(null))
    child.on('close', end)
    child.stdin.on('error', () => undefined)
    return child
  }
  /** Git dies of an object that a partial clone has not fetched, so another one goes on with the rest. */
  function goOn(status: number | null): void {
    const [first, ...rest] = open
    open.clear()
    if (status !== diedByItself) {
      const error = cannotRead('it is missing, or took too long')
      for (const { fail } of [...(first ? [first] : []), ...rest]) fail(error)
      return
    }
    first?.answer(null)
    for (const question of rest) ask(question)
  }
  return {
    read(name) {
      if (name.includes('\n') || name === '') return Promise.resolve(null)
      return new Promise((answer, fail) => ask({ name, answer, fail }))
    },
    [Symbol.dispose]() {
      running?.stdin.end()
    },
  }
}

/** Takes apart what `git cat-file --batch` prints. */
function createAnswers(tell: (found: GitObject | null) => void): (part: Buffer) => void {
  let parts: Buffer[] = []
  let held = 0
  /** Bytes without which no answer ends. */
  let needed = 0
  return (part) => {
    parts.push(part)
    held += part.length
    if (held < needed) return
    const bytes = parts.length === 1 ? part : Buffer.concat(parts)
    let at = 0
    for (let answer = readAnswer(bytes, at); answer !== null; answer = readAnswer(bytes, at)) {
      needed = answer.end - at
      if (answer.end > bytes.length) break
      at = answer.end
      needed = 0
      tell(answer.object)
    }
    parts = [bytes.subarray(at)]
    held = bytes.length - at
  }
}

/** Null where the first line is not whole yet. */
function readAnswer(bytes: Buffer, at: number): { readonly object: GitObject | null; readonly end: number } | null {
  const line = bytes.indexOf('\n', at)
  if (line < 0) return null
  const [, id, kind, size] =
    /^([0-9a-f]{40,}) (commit|tree|blob|tag) (\d+)$/.exec(bytes.toString('latin1', at, line)) ?? []
  if (id === undefined) return { object: null, end: line + 1 }
  const end = line + 1 + Number(size)
  return { object: { id, kind: kind as GitObject['kind'], bytes: bytes.subarray(line + 1, end) }, end: end + 1 }
}
