import { z } from 'zod'
import { parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { BaseTreeError } from '../../ports/base-tree.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import { SearchError } from '../../ports/search.ts'
import { failedOutput, type Tool, type ToolContext, type ToolOutput } from '../tool.ts'

/** A path as a model writes it, turned into canonical form. Relative paths start at the root. */
export const pathArgument = z.string().transform((input, context): VirtualPath => {
  const parsed = parseVirtualPath(input)
  if (parsed.ok) return parsed.value
  context.addIssue(parsed.error.message)
  return z.NEVER
})

/** Text that survives being stored as UTF-8. */
export const textArgument = z
  .string()
  .refine((text) => text.isWellFormed(), 'The text is not well-formed Unicode (a lone surrogate).')

/** A tool over files. A refusal by a tree or the search becomes the result, so that the model can continue. */
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

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Paths as a model writes them, turned into canonical form. The error for a wrong path says why. */
export const pathList = z.array(z.string()).transform((inputs, context): readonly VirtualPath[] =>
  inputs.map((input) => {
    const parsed = parseVirtualPath(input)
    if (parsed.ok) return parsed.value
    context.addIssue(parsed.error.message)
    return z.NEVER
  }),
)
