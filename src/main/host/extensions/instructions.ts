import { join } from 'node:path'
import { textIfReadable } from '#adapters/system/read-bounded.ts'
import type { Instructions } from '#core/prompts/appendices.ts'
import { redact } from '#core/secrets/secrets.ts'
import { joinPath, parentOf, parseVirtualPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { type ProjectFiles, projectText } from './project-text.ts'

const instructionNames = ['AGENTS.md', 'CLAUDE.md'] as const
const maxCharacters = 60_000
/** Files within files. */
const maxDepth = 5
/** Files that one folder's instructions import, directly or not. */
const maxImports = 100

/**
 * The instructions in one folder of a trusted project, with imports filled in. A file that another one of the folder
 * imports appears only once.
 */
export async function readInstructions(
  files: ProjectFiles,
  folder: VirtualPath = rootPath,
): Promise<readonly Instructions[]> {
  const seen = new Set<VirtualPath>()
  let found: readonly Instructions[] = []
  // Last name first, because CLAUDE.md often only imports AGENTS.md.
  for (const name of instructionNames.toReversed()) {
    const file = joinPath(folder, name)
    if (seen.has(file)) continue
    const text = await withImports(files, file, seen, 0)
    if (text === undefined || text.trim() === '') continue
    // A link to the other file, or a copy of it, says nothing more.
    found = [{ file, text: cut(text) }, ...found.filter((one) => wordsOf(one.text) !== wordsOf(cut(text)))]
  }
  return found
}

/** A text without what the line ends of an editor or of a checkout add to it. */
export function wordsOf(text: string): string {
  return text.replace(/[ \t]*\r?\n/g, '\n').trim()
}

/** What the person tells every agent in all projects, from a file of the app's data. */
export async function ownInstructions(dataFolder: string): Promise<readonly Instructions[]> {
  const [file] = instructionNames
  const text = textIfReadable(join(dataFolder, file))
  const told = text === undefined ? '' : withoutComments(text)
  return told.trim() === '' ? [] : [{ file, text: cut(told), isOwn: true }]
}

/** Without HTML comments, which are for people. Code keeps them. */
export function withoutComments(text: string): string {
  return text.replace(/(```[\s\S]*?```|`[^`\n]*`)|<!--[\s\S]*?-->/g, (_, code: string | undefined) => code ?? '')
}

/** Finds `@path` outside code. The path is relative to the file that names it, and must lie inside the project. */
const importPattern = /(^|\s)@((?:\.{0,2}\/)?[\w./-]*\w)/g

async function withImports(
  files: ProjectFiles,
  file: VirtualPath,
  seen: Set<VirtualPath>,
  depth: number,
): Promise<string | undefined> {
  const given = await projectText(files, file)
  if (given === undefined) return undefined
  // Nobody is asked about what these files say or import, so no token in them goes to a model.
  const text = redact(withoutComments(given))
  seen.add(file)
  if (depth === maxDepth) return text
  const parts: string[] = []
  for (const part of splitCode(text))
    parts.push(part.code ? part.text : await fillImports(files, file, part.text, seen, depth))
  return parts.join('')
}

async function fillImports(
  files: ProjectFiles,
  file: VirtualPath,
  text: string,
  seen: Set<VirtualPath>,
  depth: number,
): Promise<string> {
  const imports: { readonly given: string; readonly text: string }[] = []
  for (const [, , given = ''] of text.matchAll(importPattern)) {
    const parsed = parseVirtualPath(given.startsWith('/') ? given : `${parentOf(file)}/${given}`)
    if (seen.size > maxImports) break
    if (!parsed.ok || seen.has(parsed.value)) continue
    // A name that is no file counts as well: each one is looked for on the disk.
    seen.add(parsed.value)
    const imported = await withImports(files, parsed.value, seen, depth + 1)
    if (imported !== undefined) imports.push({ given, text: `\n${imported.trim()}\n` })
  }
  return imports.reduce((whole, one) => whole.replace(`@${one.given}`, () => one.text), text)
}

/** Separates fenced and inline code, in which at-signs mean nothing. */
function splitCode(text: string): readonly { readonly code: boolean; readonly text: string }[] {
  return text.split(/(```[\s\S]*?```|`[^`\n]*`)/).map((part, index) => ({ code: index % 2 === 1, text: part }))
}

function cut(text: string): string {
  return text.length > maxCharacters
    ? `${beginningOf(text, maxCharacters)}\n(cut at ${maxCharacters} characters)`
    : text
}
