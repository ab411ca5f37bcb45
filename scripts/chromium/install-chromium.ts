import { installPackage } from "../install-package.ts"
import { findChromium } from "./find-chromium.ts"

// Before the tests: those of the browser app need a Chromium; nothing else fails without it.
if (!findChromium()) installPackage("chromium", "for the tests of the browser app")
if (!findChromium())
  console.log("There is no Chromium: the browser app will not be tested. Install one, or name it in DREY_CHROMIUM.")
