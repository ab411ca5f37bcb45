import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  publicDir: false,
  build: {
    outDir: "../dist/ui",
    emptyOutDir: true,
    target: ["chrome123", "firefox128", "safari17.5"], // the first with light-dark() and nested CSS
    assetsInlineLimit: 0, // the Content-Security-Policy allows no data: addresses
    reportCompressedSize: false,
    rolldownOptions: { checks: { moduleLevelDirective: false, pluginTimings: false } },
  },
  logLevel: "warn",
})
