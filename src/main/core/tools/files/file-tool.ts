import { z } from 'zod'
import { parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { BaseTreeError } from '../../ports/base-tree.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import { SearchError } from '../../ports/search.ts'
import { failedOutput, type Tool, type ToolContext, type ToolOutput } from '../tool.ts'

/** A path as a model writes it, in canonical form afterwards; relative ones start at the root. */
export const pathArgument = z.string().transform((input, context): VirtualPath => {
  const parsed = parseVirtualPath(input)
  if (parsed.ok) return parsed.value
  context.addIssue(parsed.error.message)
  return z.NEVER
})

/** Text that can be stored as UTF-8 and read back the same. */
export const textArgument = z
  .string()
  .refine((text) => text.isWellFormed(), 'The text is not well-formed Unicode (a lone surrogate).')

/** A tool over files: what a tree or the search refuses becomes the result, so that the model can go on. */
export function fileTool<Arguments>(tool: Tool<Arguments>): Tool<Arguments> {
  const run = async (args: Arguments, context: ToolContext): Promise<ToolOutput> => {
    context.signal.throwIfAborted()
    try {
      return await tool.run(args, context)
    } catch (error) {
      context.signal.throwIfAborted()
      const expected = error instanceof FileTreeError || error instanceof BaseTreeError || error instanceof SearchError
      if (expected) return failedOutput(error.message)
      throw error
    }
  }
  return { ...tool, run }
}

/** A tool that changes files of the branch and nothing else, so that running it on a copy shows what it would do. */
export function editingTool<Arguments>(tool: Tool<Arguments>): Tool<Arguments> {
  const guarded = fileTool(tool)
  return { ...guarded, preview: guarded.run }
}

/** Line breaks, and characters that hide or turn round what is written: nobody would see them in a name. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A name as listings show it, one entry to a line: escaped, and quoted then, where it holds what cannot be seen. */
export function shownName(name: string): string {
  const shown = JSON.stringify(name).replace(unseen, escapeCharacter)
  return name.search(unseen) < 0 ? name : shown
}

function escapeCharacter(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Paths as a model writes them, in canonical form afterwards; a wrong one is an error that says why. */
export const pathList = z.array(z.string()).transform((inputs, context): readonly VirtualPath[] =>
  inputs.map((input) => {
    const parsed = parseVirtualPath(input)
    if (parsed.ok) return parsed.value
    context.addIssue(parsed.error.message)
    return z.NEVER
  }),
)
