/** Paths inside the project, as every part of the app names them. They belong to the overlay. */
export {
  ancestorsOf,
  isWithin,
  joinPath,
  nameOf,
  type PathError,
  type PathProblem,
  parentOf,
  parseVirtualPath,
  rootPath,
  type VirtualPath,
} from '#overlay'
