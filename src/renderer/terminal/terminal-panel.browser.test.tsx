import { expect, it } from 'vitest'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { TerminalPanel } from './terminal-panel.tsx'

/** A shell that has shown its prompt and waits. */
async function* prompt() {
  yield { type: 'output', text: '$ ' }
  await new Promise(() => undefined)
}

/** Mutation: run it at once, with a line end behind it. */
it('opens one terminal with what is to stand at its prompt, and does not run it', async () => {
  const [opened, written]: [unknown[], unknown[]] = [[], []]
  const answers = {
    'terminal.open': (input: unknown) => {
      opened.push(input)
      return prompt()
    },
    'terminal.write': (input: unknown) => void written.push(input),
    'terminal.resize': () => undefined,
  }
  const { session, screen } = await renderInWindow(<TerminalPanel />, answers as object)
  session.store.setState((state) => ({ ...state, ui: { ...state.ui, typed: 'claude auth login' } }))
  await expect.poll(() => written).toMatchObject([{ data: 'claude auth login' }])
  expect(session.store.getState().ui.typed).toBeNull()
  expect(opened).toHaveLength(2)
  await expect.element(screen.getByRole('tab', { selected: true })).toHaveTextContent('2')
})
