import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { procedures } from '../../src/shared/contract/procedures.testkit.ts'
import { toolFacts } from '../../src/shared/tools/tool-facts.ts'
import { type Module, readModules, root } from '../structure/sources.mjs'

/**
 * The doors of the program, found in the code: where bytes of others come in or go out. A new one that no row of `doors.ts`
 * names fails a test.
 */
export const kinds = [
  'tools',
  'readers',
  'writers',
  'programs',
  'listeners',
  'prompts',
  'cards',
  'logins',
  'stores',
  'procedures',
  'promises',
] as const
export type Kind = (typeof kinds)[number]

const writing = new Set(
  'writeFile appendFile createWriteStream rename copyFile cp symlink link rm rmdir unlink mkdir mkdtemp truncate write chmod'
    .split(' ')
    .flatMap((name) => [name, `${name}Sync`]),
)
const fromFiles = /import\s*\{([^}]*)\}\s*from\s*'node:fs(?:\/promises)?'/g
const starts = /^(?:node:child_process|node:worker_threads)$|node-pty/

const finds: Readonly<
  Record<Exclude<Kind, 'tools' | 'cards' | 'procedures' | 'promises'>, (module: Module) => boolean>
> = {
  readers: ({ path, text, targets }) =>
    !/^(?:main\/core|packages)\//.test(path) &&
    (/\b(?:readFileSync|readFile|createReadStream)\(/.test(text) ||
      targets.includes('main/adapters/system/read-bounded.ts')),
  writers: ({ text }) =>
    [...text.matchAll(fromFiles)].some(([, names = '']) => namesIn(names).some((one) => writing.has(one))),
  programs: ({ imports }) => imports.some((one) => starts.test(one)),
  listeners: ({ text }) =>
    /\bcreateServer\(|\bWebSocketServer\(|\.listen\((?:0|port|\{|options|path|place|address)/.test(text),
  prompts: ({ path, text }) => path.startsWith('main/core/prompts/') || /\baskModel\(/.test(text),
  logins: ({ text }) => /authorization/i.test(text),
  stores: ({ path }) => /^main\/core\/ports\/(?:journal|git-storage|blob-store|stores\/[\w-]+)\.ts$/.test(path),
}

function namesIn(list: string): readonly string[] {
  return list.split(',').map((one) => one.trim().split(/\s/)[0] ?? '')
}

/** The doors of each kind: names of tools, procedures and notes of cards, promises, or paths below `src`. */
export function findDoors(): Readonly<Record<Kind, readonly string[]>> {
  const modules = readModules()
    .filter(({ path, isTest }) => !isTest && /^(?:main|packages)\//.test(path))
    .map((module) => ({ ...module, text: module.text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '') }))
  const pathsOf = (kind: keyof typeof finds) => modules.filter(finds[kind]).map(({ path }) => path)
  return {
    tools: Object.keys(toolFacts),
    readers: pathsOf('readers'),
    writers: pathsOf('writers'),
    programs: pathsOf('programs'),
    listeners: pathsOf('listeners'),
    prompts: pathsOf('prompts'),
    cards: notesOfCards(),
    logins: pathsOf('logins'),
    stores: pathsOf('stores'),
    procedures: procedures.map(({ name }) => name),
    promises: promisesOf(readFileSync(join(root, 'docs/security.md'), 'utf8')).map(({ promise }) => promise),
  }
}

function notesOfCards(): readonly string[] {
  const words = readModules().find(({ path }) => path === 'shared/tools/card-words.ts')
  const union = /interface CardNote \{\s*readonly about: ([^\n]+)/.exec(words?.text ?? '')?.[1] ?? ''
  return [...union.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)
}

/** The promises of `docs/security.md`, each with the guards that its row names. */
export function promisesOf(page: string): readonly { readonly promise: string; readonly guards: readonly string[] }[] {
  const [, part = ''] = /## Promises\n(.*?)\n## /s.exec(page) ?? []
  const rows = part.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| promise |'))
  return rows.map((line) => {
    const cells = line.slice(2, -2).split(' | ')
    return {
      promise: cells[0] ?? '',
      guards: [...(cells[3] ?? '').matchAll(/\*([^*]+)\*/g)].map(([, name = '']) => name),
    }
  })
}
