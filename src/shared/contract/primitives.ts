import { type ZodType, z } from 'zod'
import type { ProjectId } from '../model/ids.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { parseVirtualPath } from '../model/virtual-path.ts'

const identifier = z.string().min(1).max(200)

export const projectId = identifier as unknown as ZodType<ProjectId, string>

/** A virtual path in canonical form. Anything else is refused on arrival, with the reason. */
export const virtualPath = z
  .string()
  .max(32_768)
  .transform((input, context): VirtualPath => {
    const parsed = parseVirtualPath(input)
    if (parsed.ok) return parsed.value
    context.addIssue(parsed.error.message)
    return z.NEVER
  })

/** Text that a person types into a message, a task or a rule. */
export const typedText = z.string().max(2_000_000)
