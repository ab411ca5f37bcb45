import { useToast } from "./toast.tsx"

/** Copies a text to the clipboard and shows a notice; `name` replaces a long text in it: "the text". */
export function useCopy(): (text: string, name?: string) => Promise<void> {
  const toast = useToast()
  return async (text, name = text) => {
    try {
      await navigator.clipboard.writeText(text)
      toast.show({ text: `Copied ${name}` })
    } catch {
      toast.show({
        text: "The browser blocks access to the clipboard. Select and copy the text instead.",
        isProblem: true,
      })
    }
  }
}
