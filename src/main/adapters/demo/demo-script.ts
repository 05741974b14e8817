import type { ModelRequest, RequestMessage, RequestPart } from '#core/ports/model-client.ts'
import type { DemoStep } from './demo-subagents.ts'
import { type DemoCall, type DemoFiles, type DemoReply, subagentSteps } from './demo-subagents.ts'

/**
 * The script as a function of the conversation. The next reply depends on how many were given since the person last
 * spoke, and the first results tell whether the demo project itself is open.
 */
export function demoReply(request: ModelRequest, files: DemoFiles): DemoReply {
  const turn = repliesSincePerson(request.messages)
  const task = firstText(request.messages)
  const steps = subagentSteps(task) ?? mainSteps
  const first = request.messages.filter(({ role }) => role === 'assistant').length === turn
  const step = first || subagentSteps(task) ? steps[turn] : undefined
  return step ? step(rootOf(request.messages), files) : ending
}

const ending: DemoReply = {
  text: 'This was the scripted demo: it knows only this one task. Add a key in Settings to give an agent your own work.',
  calls: [],
}

const todo = [
  'Look at the project',
  'Fix the rounding of totals',
  'Check with code and tests',
  'Format, tests and docs in parallel',
  'Merge the branches',
]
const plan = (...statuses: readonly string[]): DemoCall => ({
  name: 'write_todos',
  input: { todos: todo.map((content, index) => ({ content, status: statuses[index] ?? 'pending' })) },
})
const setTodo = (index: number, status: string): DemoCall => ({
  name: 'update_todo_status',
  input: { todo_index: index, status },
})

const mainSteps: readonly DemoStep[] = [
  () => ({
    text: 'This is the **scripted demo**: no model is asked, but every tool, approval and branch below is real. I start with a plan.',
    calls: [
      plan('in_progress'),
      { name: 'ls', input: { path: '/' } },
      { name: 'read_file', input: { file_path: '/package.json' } },
    ],
  }),
  (root, files) => ({
    text:
      root === ''
        ? 'This is the demo project. I look for how totals are made.'
        : `This is a project of yours, so I put the small demo project into \`${root}/\` of the overlay. Your folder stays as it is.`,
    calls:
      root === ''
        ? look(root)
        : [
            ...files.map(([path, content]) => ({
              name: 'write_file',
              input: { file_path: `${root}${path}`, content },
            })),
            ...look(root),
          ],
  }),
  (root) => ({
    text: 'Amounts are added as floating-point numbers, so `0.1 + 0.2` is not `0.3`. I add whole cents instead.',
    calls: [
      setTodo(0, 'completed'),
      setTodo(1, 'in_progress'),
      {
        name: 'edit_file',
        input: {
          file_path: `${root}/src/total.js`,
          old_string: '    sum += expense.amount\n',
          new_string: '    sum += Math.round(expense.amount * 100)\n',
        },
      },
      {
        name: 'edit_file',
        input: { file_path: `${root}/src/total.js`, old_string: '  return sum\n', new_string: '  return sum / 100\n' },
      },
    ],
  }),
  (root) => ({
    text: 'I check the arithmetic in the code runner, over the changed files.',
    calls: [
      setTodo(1, 'completed'),
      setTodo(2, 'in_progress'),
      {
        name: 'run_js_code',
        input: {
          code: `const text = await fs.read('${root}/data/january.txt')\nconst cents = text.split('\\n').filter((line) => /^\\d/.test(line)).map((line) => Math.round(Number(line.split(' ')[1]) * 100))\nconsole.log(cents.join(' + '))\nreturn cents.reduce((sum, cent) => sum + cent, 0) / 100`,
        },
      },
    ],
  }),
  (root) => ({
    text: 'Now the real tests. Nothing of a command counts before you say so: look at its card, then decide.',
    calls: [
      { name: 'execute', input: { command: root === '' ? 'node --test' : `cd .${root} && node --test`, timeout: 60 } },
    ],
  }),
  (root) => ({
    text: 'Three independent pieces are left, so three subagents work in parallel, each on a branch of its own.',
    calls: [
      setTodo(2, 'completed'),
      {
        name: 'spawn_subagents',
        input: {
          tasks: ['format', 'tests', 'docs'].map((name) => ({
            name,
            task: `Demo task ${name} in ${root || '/'}`,
            todo_index: 3,
          })),
        },
      },
    ],
  }),
  () => ({
    text: 'All three are done. I merge what is clean and let conflicts be refused.',
    calls: [{ name: 'merge_subagent', input: { handle: ['subagent_0', 'subagent_1', 'subagent_2'] } }],
  }),
  (root) => ({
    text: `\`${root}/README.md\` of *docs* was refused: *format* had rewritten the same lines. Both are right, so this one is left to you.`,
    calls: [setTodo(4, 'in_progress'), setTodo(4, 'completed')],
  }),
  () => ({
    text: 'Done.\n\n- Totals are exact to the cent.\n- Amounts are printed as money, with tests.\n\nNothing has touched your folder. What you can try now:\n\n1. *Review branches* below: one conflict waits. Choose a side, or *Ask the agent to resolve*.\n2. *Review changes*: read the diff, then *Export patch* or *Apply to disk*.\n3. *Rewind*: go back to any step, and forward again.',
    calls: [],
  }),
]

function look(root: string): readonly DemoCall[] {
  return [
    { name: 'grep', input: { pattern: 'total|format', path: root || '/', output_mode: 'content' } },
    ...['/src/total.js', '/src/format.js', '/test/total.test.js', '/README.md'].map((path) => ({
      name: 'read_file',
      input: { file_path: `${root}${path}` },
    })),
  ]
}

const folderElsewhere = '/coppice-demo'

/**
 * Returns the folder of the demo project, recognised by the package file that the first step reads. A subagent finds it
 * in its task.
 */
function rootOf(messages: readonly RequestMessage[]): string {
  const task = / in (\/\S*)$/.exec(firstText(messages))
  if (task?.[1]) return task[1] === '/' ? '' : task[1]
  const results = messages.flatMap(({ content }) => content as readonly RequestPart[])
  const manifest = results.find((part) => part.type === 'tool_result' && part.callId === manifestCall)
  return manifest && textIn(manifest).includes('"name": "tally"') ? '' : folderElsewhere
}

/** The third call of the first reply. `demo-model.ts` numbers the ids. */
const manifestCall = 'demo_0_2'

function repliesSincePerson(messages: readonly RequestMessage[]): number {
  const lastTyped = messages.findLastIndex(
    ({ role, content }) =>
      role === 'user' &&
      content.some(({ type }) => type === 'text') &&
      !content.some(({ type }) => type === 'tool_result'),
  )
  return messages.slice(lastTyped + 1).filter(({ role }) => role === 'assistant').length
}

function firstText(messages: readonly RequestMessage[]): string {
  const part = messages[0]?.content.find(({ type }) => type === 'text')
  return part?.type === 'text' ? part.text : ''
}

function textIn(part: RequestPart): string {
  if (part.type !== 'tool_result') return part.type === 'text' ? part.text : ''
  return part.content.map((inner) => (inner.type === 'text' ? inner.text : '')).join('')
}
