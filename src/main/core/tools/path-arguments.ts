import { z } from 'zod'
import { parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'

/** Paths as a model writes them, in canonical form afterwards; a wrong one is an error that says why. */
export const pathList = z.array(z.string()).transform((inputs, context): readonly VirtualPath[] =>
  inputs.map((input) => {
    const parsed = parseVirtualPath(input)
    if (parsed.ok) return parsed.value
    context.addIssue(parsed.error.message)
    return z.NEVER
  }),
)
