const maxLength = 64

/**
 * Names under which a model calls tools of servers: `mcp__<server>__<tool>`, in the characters and the length the API takes, and never
 * the same for two of them.
 */
export function mcpToolNames(tools: readonly { readonly server: string; readonly tool: string }[]): readonly string[] {
  const taken = new Set<string>()
  return tools.map(({ server, tool }) => {
    const plain = `mcp__${allowed(server)}__${allowed(tool)}`
    let name = plain.slice(0, maxLength)
    for (let number = 2; taken.has(name); number += 1) {
      const suffix = `_${number}`
      name = `${plain.slice(0, maxLength - suffix.length)}${suffix}`
    }
    taken.add(name)
    return name
  })
}

function allowed(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_')
}
