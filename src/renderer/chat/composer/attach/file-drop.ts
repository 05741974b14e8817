import { useEffect, useRef, useState } from 'react'

/**
 * Takes files that are dropped anywhere on the page, while the component is shown. Without this, the browser would
 * leave the app and open the file. Returns true while files are dragged over the page.
 */
export function useFileDrop(onFiles: (files: FileList) => void): boolean {
  const [over, setOver] = useState(false)
  const latest = useRef(onFiles)
  useEffect(() => {
    latest.current = onFiles
  })
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true
    function onDragOver(event: DragEvent): void {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    function onDragLeave(event: DragEvent): void {
      // Leaving the page has no element that the pointer enters.
      if (event.relatedTarget === null) setOver(false)
    }
    function onDrop(event: DragEvent): void {
      setOver(false)
      if (!hasFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      latest.current(event.dataTransfer.files)
    }
    window.addEventListener('dragover', onDragOver)
    window.addEventListener('dragleave', onDragLeave)
    window.addEventListener('drop', onDrop)
    return () => {
      window.removeEventListener('dragover', onDragOver)
      window.removeEventListener('dragleave', onDragLeave)
      window.removeEventListener('drop', onDrop)
    }
  }, [])
  return over
}
