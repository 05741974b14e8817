/** What people call the parts of a request that a server can refuse, by the names that the host gives them. */
export const partNames: Readonly<Record<string, string>> = {
  caching: 'cache marks',
  tool_caching: 'cache marks on tools',
  thinking: 'thinking',
  effort: 'effort',
  format: 'the schema of the answer',
  temperature: 'temperature',
  images: 'images',
  tool_choice: 'the choice of tools',
  usage: 'the report of usage',
  thoughts: 'earlier thoughts',
  max_completion_tokens: 'the newer name of the output limit',
}
