declare module '*.css'

/** The address of a file that the build copies. */
declare module '*?url' {
  const address: string
  export default address
}
