import { McpError, type McpTool } from '#core/ports/mcp-client.ts'
import { createMcpTool } from '#core/tools/mcp-tool.ts'
import { anyTool, type Tool } from '#core/tools/tool.ts'
import { hashOf, type McpDefinition } from './mcp-definitions.ts'
import type { McpLink } from './mcp-link.ts'
import { mcpToolName } from './mcp-names.ts'
import type { McpQuestions } from './mcp-questions.ts'
import type { McpTrust } from './mcp-trust.ts'

interface OfferedOptions {
  readonly trust: McpTrust
  readonly mayConnect: (definition: McpDefinition) => boolean
  /** True when requests show the tools of this server however many there are. */
  readonly alwaysShown: boolean
  /** Absent where nobody can be asked. */
  readonly ask?: McpQuestions['ask'] | undefined
}

/** The tools of one server, as agents get them. Each runs only as a person approved it. */
export function toolsOf(link: McpLink, { trust, mayConnect, alwaysShown, ask }: OfferedOptions): readonly Tool[] {
  const { definition } = link
  return namedOnce(link.tools()).map((tool) => {
    const before = trust.approvedTool(definition.hash, tool.name)
    return anyTool(
      createMcpTool({
        name: mcpToolName(definition.name, tool.name),
        server: definition.name,
        tool,
        alwaysShown,
        mustAsk: () => changeOf(trust, definition, tool),
        async call(args, signal, { onProgress, threadId, callId }) {
          if (!mayConnect(definition)) throw new McpError('closed', 'The server is no longer trusted.')
          // Run only tools that still are as a person approved them. Who was asked about an older one decided on that.
          const approved = trust.approvedTool(definition.hash, tool.name)
          if (approved !== hashOf(tool)) {
            if (approved !== before) throw new McpError('refused', changedMeanwhile(tool.name))
            await trust.approveTools(definition.hash, { [tool.name]: hashOf(tool) })
          }
          const about = { server: definition.name, threadId, callId }
          return link.call(tool, args, signal, {
            onProgress,
            ...(ask && { onQuestion: (question, stop) => ask(about, question, AbortSignal.any([signal, stop])) }),
          })
        },
      }),
    )
  })
}

/** How a tool differs from the one that was approved. Undefined when it does not. */
export function changeOf(trust: McpTrust, { hash, name }: McpDefinition, tool: McpTool): string | undefined {
  const approved = trust.approvedTool(hash, tool.name)
  if (approved === hashOf(tool)) return undefined
  return approved === undefined ? `new tool of ${name} since you trusted it` : `changed by ${name} since you trusted it`
}

/** Drops repeated names. A server that lists a name twice has one tool of that name. */
function namedOnce(tools: readonly McpTool[]): readonly McpTool[] {
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()]
}

function changedMeanwhile(name: string): string {
  return `Another version of the tool ${JSON.stringify(name)} was approved while this call waited. Call it again.`
}
