// Figures about the layout of the code. They are not goals; the limits are in `check-structure.mjs`.
import { dirname } from 'node:path'
import { isWithin } from './sources.mjs'

/** Median, 90th percentile and largest of the line counts, with the path of the largest file. */
export function measureLines(modules) {
  const sorted = modules.toSorted((a, b) => a.lines - b.lines)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return { files: sorted.length, median: at(0.5).lines, p90: at(0.9).lines, max: at(1).lines, longest: at(1).path }
}

/**
 * Files of at most 60 lines with exactly one importer, in the same folder. Such a file is a part of its importer
 * rather than an idea of its own.
 */
export function findFragments(modules) {
  const importers = Map.groupBy(
    modules.flatMap(({ path, targets }) => [...new Set(targets)].map((target) => ({ path, target }))),
    ({ target }) => target,
  )
  return modules.filter(({ path, lines }) => {
    const users = importers.get(path) ?? []
    return lines <= 60 && users.length === 1 && dirname(users[0].path) === dirname(path)
  })
}

/** The number of files directly in each folder, fullest first. */
export function countByFolder(modules) {
  const folders = Map.groupBy(modules, ({ path }) => dirname(path))
  return [...folders].map(([folder, files]) => ({ folder, files: files.length })).sort((a, b) => b.files - a.files)
}

/** Every group of files that import each other, including imports of types. */
export function findCircles(modules) {
  const graph = new Map(modules.map(({ path, targets }) => [path, targets]))
  const index = new Map()
  const lowest = new Map()
  const stack = []
  const circles = []
  const visit = (path) => {
    index.set(path, index.size)
    lowest.set(path, index.get(path))
    stack.push(path)
    for (const target of graph.get(path)) {
      if (!graph.has(target)) continue
      if (!index.has(target)) visit(target)
      if (stack.includes(target)) lowest.set(path, Math.min(lowest.get(path), lowest.get(target)))
    }
    if (lowest.get(path) !== index.get(path)) return
    const circle = stack.splice(stack.indexOf(path))
    if (circle.length > 1 || graph.get(path).includes(path)) circles.push(circle)
  }
  for (const path of graph.keys()) if (!index.has(path)) visit(path)
  return circles
}

/** The lines of tests for each line of source below the folders. */
export function testRatio(modules, folders) {
  const lines = (wanted) =>
    modules
      .filter(({ path, isTest }) => folders.some((folder) => isWithin(path, folder)) && isTest === wanted)
      .reduce((sum, module) => sum + module.lines, 0)
  return lines(true) / lines(false)
}

/** The number of members of exported interfaces below the folders, and how many of them have a doc comment. */
export function countDocumentedMembers(modules, folders) {
  const texts = modules.filter(({ path }) => folders.some((folder) => isWithin(path, folder))).map(({ text }) => text)
  const members = texts.flatMap((text) =>
    [...text.matchAll(/^export interface [^{]*\{\n([\s\S]*?)^\}/gm)].flatMap(membersOf),
  )
  return { all: members.length, documented: members.filter(Boolean).length }
}

/** One boolean for each member of an interface's body: whether a comment is directly above it. */
function membersOf([, body]) {
  const lines = body.split('\n')
  return lines.flatMap((line, at) => {
    if (!/^ {2}(?:readonly )?(?:\[|['\w])/.test(line)) return []
    return [/\*\/\s*$/.test(lines[at - 1] ?? '')]
  })
}

const participles =
  /^(?:[a-z]+ed|known|shown|told|given|taken|held|kept|left|grown|drawn|written|chosen|hidden|made|sent|built|found|gone|meant|read)$/

/** Functions named by a past participle. Such a name describes the result, but not what the function does. */
export function findParticiples(modules) {
  return modules.flatMap(({ path, text }) =>
    [...text.matchAll(/^\s*(?:export )?(?:async )?function\*? (\w+)|^(?:export )?const (\w+) = (?:async )?\(/gm)]
      .map((match) => match[1] ?? match[2])
      .filter((name) => participles.test(name))
      .map((name) => ({ path, name })),
  )
}

/** The number of places that write the journal, inside and outside core. Outside core there should be none. */
export function countJournalWriters(modules) {
  const writers = modules.filter(
    ({ path, text }) =>
      isWithin(path, 'main') &&
      !isWithin(path, 'main/adapters') &&
      /\b(?:log|journal|writer)\.(?:append|commit)\(/.test(text),
  )
  const core = writers.filter(({ path }) => isWithin(path, 'main/core'))
  return { core: core.length, outside: writers.length - core.length }
}

const trialRoom = 'main/core/trial'

/**
 * The files that open views of branches, and those that search for the files to hide in them. `outside` are those among
 * them that are not in the room of trials: what they run would see more than it may, or the search is made twice.
 * The doctor may open a view that no project is behind.
 */
export function findTrialDoors(modules) {
  const judged = modules.filter(({ path }) => isWithin(path, 'main') && !isWithin(path, 'main/adapters'))
  const naming = (pattern) => judged.filter(({ text }) => pattern.test(withoutComments(text))).map(({ path }) => path)
  const mounts = naming(/\b\w*[mM]ounts\??\.open\b|\bopen\b[^=;]*\} = [\w.]*[mM]ounts\b/)
  const guard = naming(/\b(?:findHiddenFiles|withHidden)\b/).filter((path) => path !== `${trialRoom}/hidden-files.ts`)
  const probes = naming(/\bopenProbe\b/).filter((path) => !isWithin(path, 'main/host/doctor'))
  const outside = [...new Set([...mounts, ...guard, ...probes])].filter((path) => !isWithin(path, trialRoom))
  return { mounts, guard, outside }
}

/** Files that read only what the app itself or the system made, with the folders of such. */
const readsOwn = [
  ...['main/adapters/demo', 'main/adapters/runner', 'main/adapters/secrets', 'main/adapters/sqlite', 'main/desktop'],
  ...['main/adapters/system/read-bounded.ts', 'main/adapters/system/made-folders.ts', 'main/adapters/system/maker.ts'],
  ...['main/adapters/system/ends-with-app.ts', 'main/adapters/shell/limits', 'main/adapters/shell/processes'],
  ...['main/adapters/shell/run-command.ts', 'main/adapters/shell/registries/token-proxy.ts', 'main/adapters/watch'],
  ...['main/adapters/disk/apply-record.ts', 'main/adapters/disk/setup-records.ts', 'main/adapters/git/patch-check.ts'],
  ...['main/adapters/search/index', 'main/adapters/mounts/layers', 'main/adapters/mounts/git/save-objects.ts'],
  ...['main/adapters/mounts/git/split-index.ts', 'main/host/updates', 'main/host/mcp', 'main/host/project'],
  ...['main/host/app', 'main/host/doctor', 'main/host/models', 'main/cli/app-paths.ts', 'main/cli/electron-binary.ts'],
  'main/cli/decide/edit-text.ts',
]
/** Files that look at the kind and the size of a file themselves before they read it. */
const looksFirst = [
  ...['main/adapters/mounts/capture.ts', 'main/adapters/mounts/mount-base.ts', 'main/adapters/mounts/copied-mounts.ts'],
  ...['main/adapters/mounts/git/hide-from-git.ts', 'main/host/memory/memory-folder.ts'],
]

/**
 * The files that read others whole, whatever they are, although somebody else may have put them there: a link to a device
 * or a pipe has no end.
 */
export function findBoundlessReaders(modules) {
  const exempt = [...readsOwn, ...looksFirst]
  return modules
    .filter(({ path, text }) => {
      if (!isWithin(path, 'main') || isWithin(path, 'main/core')) return false
      return !exempt.some((one) => isWithin(path, one)) && reader.test(withoutComments(text))
    })
    .map(({ path }) => path)
}

const reader = /\b(?:readFileSync|readFile|createReadStream)\(/

/** Files that ask servers of this machine alone, over a socket or a port of its own. */
const asksOwnMachine = ['main/adapters/shell/proxy-relay.ts', 'main/adapters/shell/processes/preview-server.ts']
const outgoing = 'main/adapters/system/outgoing'

/** The files that ask other machines without the door that knows the proxies and the certificates of a person's network. */
export function findOwnRequests(modules) {
  return modules
    .filter(({ path, text }) => {
      if (!isWithin(path, 'main') || [...asksOwnMachine, outgoing].some((one) => isWithin(path, one))) return false
      return asks.test(withoutComments(text))
    })
    .map(({ path }) => path)
}

const asks =
  /(?<![\w.]|async )fetch\(|globalThis\.fetch\(|from '(?:node:)?(?:https|http2|undici)'|^import \{[^}]*\b(?:request|get)\b[^}]*\} from '(?:node:)?http'/m

/** The number of members of an exported interface. */
export function countMembers(modules, path, name) {
  const text = modules.find((module) => module.path === path)?.text ?? ''
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(text)
  return body ? membersOf(body).length : 0
}

/** Every `function` with its lines, by the indentation of its last line. The formatter guarantees that. */
export function findFunctions(modules) {
  return modules.flatMap(({ path, text }) => {
    const lines = text.split('\n')
    return lines.flatMap((line, at) => {
      const found = /^( *)(?:export )?(?:default )?(?:async )?function\*? (\w+)/.exec(line)
      if (!found) return []
      const length = lines.slice(at).indexOf(`${found[1]}}`) + 1
      return [{ path, name: found[2], lines: Math.max(length, 1) }]
    })
  })
}

function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

/**
 * Files around core that look for a family in the loaded state, where one that was let go of is missing. They ask
 * `core/journal/read-thread.ts`. That a map of the state has no look-ups there, its type says (`ListedLog`).
 */
export function findLookUps(modules) {
  return modules
    .filter(
      ({ path, text }) =>
        ['main/host', 'main/cli', 'main/desktop', 'main/web'].some((room) => isWithin(path, room)) &&
        /\b(?:familyOf|rootThreadOf)\((?:\w+\.)*log\.state\b/.test(text),
    )
    .map(({ path }) => path)
}

/**
 * Exports of production files that no other file names, or that only tests name while the file itself does not use
 * them. `others` holds the texts of files outside `src`. This compares text only, so a name in another file's comment
 * counts as used.
 */
export function findUnusedExports(modules, others) {
  const users = new Map()
  const addUser = (words, user) => {
    for (const word of words) users.set(word, [...(users.get(word) ?? []), user])
  }
  for (const module of modules) addUser(wordsOfModule(module), module)
  for (const text of others) addUser(wordsOf(text), { path: '', isTest: false })
  return modules
    .filter(({ isTest }) => !isTest)
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)]
        .map(([, name]) => name)
        .filter((name) => {
          const outside = (users.get(name) ?? []).filter((user) => user.path !== path)
          if (outside.length === 0) return true
          return outside.every(({ isTest }) => isTest) && !isUsedInside(text, name)
        })
        .map((name) => ({ path, name })),
    )
}

/** Whether a file names its export outside of comments and of the export itself. */
function isUsedInside(text, name) {
  return withoutComments(text).match(new RegExp(`\\b${name}\\b`, 'g')).length > 1
}

const wordsByModule = new WeakMap()

function wordsOfModule(module) {
  const words = wordsByModule.get(module) ?? wordsOf(module.text)
  wordsByModule.set(module, words)
  return words
}

function wordsOf(text) {
  return new Set(text.match(/[A-Za-z_$][\w$]*/g) ?? [])
}
