/** Which argument of a tool is code, and in which language. */
export const codeArguments: Readonly<Record<string, { readonly name: string; readonly language: string }>> = {
  execute: { name: 'command', language: 'shell' },
  run_js_code: { name: 'code', language: 'typescript' },
  run_python_code: { name: 'code', language: 'python' },
}
