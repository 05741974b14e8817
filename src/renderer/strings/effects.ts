/** What a held call did, after its agent: “ran a command”. */
const deeds: Readonly<Record<string, string>> = {
  execute: 'ran a command',
  run_js_code: 'ran JavaScript',
  run_js_file: 'ran a JavaScript file',
  run_python_code: 'ran Python',
  run_python_file: 'ran a Python file',
}

function deedOf(tool: string): string {
  return deeds[tool] ?? `used ${tool}`
}

/** Calls that ran in the sandbox and whose effects wait for a person. */
export const effectStrings = {
  did: (tool: string) => `${deedOf(tool)} – look at what it did`,
  notice: (tool: string, what: string) => `It ${deedOf(tool)}. Look at what it did: ${what}`,
  announce: (tool: string, agent: string) => `Needs you: ${agent} ${deedOf(tool)}. Look at what it did`,
  ran: (what: string) => `Ran ${what}`,
  waits: (what: string) => `Ran, not kept yet: ${what}`,
  keepAll: (count: number) => `Keep all ${count}`,
  keepAndApprove: (count: number) => `Keep or approve all ${count}`,
  settled: {
    kept: 'kept',
    dropped: 'dropped',
    changesDropped: 'effects dropped',
    part: (files: string) => `kept only ${files}`,
    waits: 'not kept yet',
  },
  lowRisk: (count: number) => `Keep ${count} low-risk`,
  lowRiskMixed: (count: number) => `Keep or approve ${count} low-risk`,
} as const
