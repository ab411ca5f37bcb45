export { handleOf } from "../formats/memory-handle.ts"
