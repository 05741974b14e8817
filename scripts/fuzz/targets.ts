import { pathToFileURL } from 'node:url'
import type { FuzzTarget } from './fuzz-target.ts'

const load: Readonly<Record<string, () => Promise<FuzzTarget>>> = {
  'shell-lines': async () => (await import('./targets/shell-lines.fuzz.ts')).shellLines,
  rules: async () => (await import('./targets/rules.fuzz.ts')).rules,
  patches: async () => (await import('./targets/patches.fuzz.ts')).patches,
  'front-matter': async () => (await import('./targets/front-matter.fuzz.ts')).frontMatter,
  settings: async () => (await import('./targets/settings.fuzz.ts')).settings,
  'mcp-messages': async () => (await import('./targets/mcp-messages.fuzz.ts')).mcpMessages,
  replies: async () => (await import('./targets/replies.fuzz.ts')).replies,
  schemas: async () => (await import('./targets/schemas.fuzz.ts')).schemas,
  imports: async () => (await import('./targets/imports.fuzz.ts')).imports,
  journal: async () => (await import('./targets/journal.fuzz.ts')).journal,
}

export const targetNames: readonly string[] = Object.keys(load)

/** Loads a target by its name, or by the file that exports it. Throws for anything else. */
export async function loadTarget(name: string): Promise<FuzzTarget> {
  if (Object.hasOwn(load, name) && load[name]) return await load[name]()
  if (!name.endsWith('.ts')) throw new Error(`There is no target ${name}. Choose one of: ${targetNames.join(', ')}.`)
  const [target] = Object.values((await import(pathToFileURL(name).href)) as Record<string, FuzzTarget>)
  if (target === undefined) throw new Error(`${name} exports no target.`)
  return target
}
