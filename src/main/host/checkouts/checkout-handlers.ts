import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { startEditor } from './find-editor.ts'

/** A person's commands about folders that stand for branches. */
export function checkoutHandlers(os: Implementer, { projects, settings, options }: HostParts) {
  const never = new AbortController().signal
  return {
    list: os.checkouts.list.handler(async ({ input }) => projects.get(input.projectId).checkouts.list(input.branchId)),
    make: os.checkouts.make.handler(({ input, signal }) =>
      projects.get(input.projectId).checkouts.make(input, signal ?? never),
    ),
    open: os.checkouts.open.handler(({ input, signal }) =>
      projects.get(input.projectId).checkouts.open(input.branchId, signal ?? never),
    ),
    startEditor: os.checkouts.startEditor.handler(async ({ input }) => {
      const { checkouts, rootFolder } = projects.get(input.projectId)
      const { folder } = checkouts.find(input)
      await startEditor({ settings, options }, { folder, rootFolder, editor: input.editor })
    }),
    takeBack: os.checkouts.takeBack.handler(({ input }) => projects.get(input.projectId).checkouts.takeBack(input)),
    close: os.checkouts.close.handler(({ input }) => projects.get(input.projectId).checkouts.close(input)),
  }
}
