import { createRoot } from 'react-dom/client'
import { Virtuoso } from 'react-virtuoso'

const root = createRoot(document.body.appendChild(document.createElement('main')))
let opened = 0

/** Replaces the list with one of empty rows, scrolled to its end like a conversation. */
globalThis.openEmptyList = (rows) => {
  opened += 1
  root.render(
    <Virtuoso
      key={opened}
      totalCount={rows}
      initialTopMostItemIndex={{ index: 'LAST', align: 'end' }}
      style={{ height: '100vh' }}
      itemContent={(index) => <div style={{ height: 80 }} data-shown={`${opened} row ${index}`} />}
    />,
  )
  return `[data-shown="${opened} row ${rows - 1}"]`
}

declare global {
  function openEmptyList(rows: number): string
}
