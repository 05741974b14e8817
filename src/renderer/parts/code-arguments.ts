/** For each tool that takes code: the argument that holds it, and its language. */
export const codeArguments: Readonly<Record<string, { readonly name: string; readonly language: string }>> = {
  execute: { name: 'command', language: 'shell' },
  run_js_code: { name: 'code', language: 'typescript' },
  run_python_code: { name: 'code', language: 'python' },
}
