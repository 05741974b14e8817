import * as z from 'zod/mini'
import { strings } from '../strings/strings.ts'

const labels = strings.chat.starters

/** A task that a new thread can begin with. */
export interface Starter {
  readonly label: string
  readonly task: string
}

/** What is known of a project before anything was asked. */
export interface ProjectFacts {
  /** Some of its files, with a slash at the start. */
  readonly paths: readonly string[]
  /** The text of its package.json; null without one. */
  readonly manifest: string | null
  readonly git: boolean
}

/** At most four tasks that fit the project, made from its own files and scripts. */
export function startersFor({ paths, manifest, git }: ProjectFacts): readonly Starter[] {
  const sources = paths.filter((path) => isSource.test(path) && !isTaken.test(path)).toSorted(byImportance)
  const [first] = sources
  const check = checkOf(paths, manifest)
  const untested = sources.filter((path) => !isTest.test(path)).slice(0, 3)
  return [
    first === undefined ? { label: labels.tour, task: labels.tourTask } : explain(first),
    ...(check === null ? [] : [{ label: labels.mend(check), task: labels.mendTask(check) }]),
    ...(untested.length > 1
      ? [{ label: labels.split(untested.length), task: labels.splitTask(untested.map(mention)) }]
      : []),
    git ? { label: labels.review, task: labels.reviewTask } : { label: labels.improve, task: labels.improveTask },
  ]
}

function explain(path: string): Starter {
  return { label: labels.explain(path.slice(1)), task: labels.explainTask(mention(path)) }
}

function mention(path: string): string {
  return `@${path.slice(1)}`
}

/** Words that name other buttons, which tests and screen readers find by them. */
const isTaken = /send|stop|rewind|export|apply/i
const isSource = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|c|cc|cpp|cs|swift|vue|svelte)$/
const isTest = /(?:^|[/._-])(?:tests?|specs?|__tests__|e2e|fixtures?)[/._-]/
const isCode = /^\/(?:src|lib|app|packages|cmd|internal)\//

/** Files of the program before tests, files below `src` and the like before others, then those near the root. */
function byImportance(one: string, other: string): number {
  const rank = (path: string): number => (isTest.test(path) ? 1000 : 0) + (isCode.test(path) ? 0 : 100) + depth(path)
  return rank(one) - rank(other) || one.localeCompare(other)
}

function depth(path: string): number {
  return path.split('/').length
}

const scripts = z.object({ scripts: z.record(z.string(), z.string()) })
const tools = [
  ['/Cargo.toml', 'cargo test'],
  ['/go.mod', 'go test ./...'],
  ['/pyproject.toml', 'pytest'],
  ['/pom.xml', 'mvn test'],
  ['/Makefile', 'make'],
] as const

/** The command that checks the project; null if none is known. */
function checkOf(paths: readonly string[], manifest: string | null): string | null {
  const known = scriptsIn(manifest)
  const script = ['test', 'check', 'lint', 'build'].find((name) => known.includes(name))
  if (script !== undefined) return script === 'test' ? 'npm test' : `npm run ${script}`
  return tools.find(([file]) => paths.includes(file))?.[1] ?? null
}

function scriptsIn(manifest: string | null): readonly string[] {
  try {
    const read = scripts.safeParse(JSON.parse(manifest ?? 'null'))
    return read.success ? Object.keys(read.data.scripts) : []
  } catch {
    return []
  }
}
