import type { ReactNode } from 'react'
import { useSavedChoice } from '../state/preferences/use-saved-choice.ts'
import { strings } from '../strings/strings.ts'
import type { DiffLayout } from '../ui/diff/diff-rows.ts'
import { FileDiffView, type FileDiffViewProps } from '../ui/diff/file-diff-view.tsx'

type FileDiffProps = Omit<FileDiffViewProps, 'labels' | 'layout' | 'onLayout'>

/** Shows one file's changes in the layout that the person chose last. */
export function FileDiff(props: FileDiffProps): ReactNode {
  const [layout, setLayout] = useSavedChoice<DiffLayout>('coppice-diff-layout', ['unified', 'split'])
  return <FileDiffView {...props} labels={strings.common} layout={layout} onLayout={setLayout} />
}
