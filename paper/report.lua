-- Divs of the report that HTML and paper show in ways of their own.
--
-- finding: its picture beside its text. notes: what is to be known of a figure or list, folded in HTML
-- (workflow/scripts/typeset.py makes details of it) and left out on paper, where the text files beside
-- the pictures have it.

local function is_picture(block)
  return block.t == "Para" and #block.content == 1 and block.content[1].t == "Image"
end

local function beside(div)
  local text, picture = {}, {}
  for _, block in ipairs(div.content) do
    table.insert(is_picture(block) and picture or text, block)
  end
  if #picture == 0 then return text end
  local typst = function(code) return pandoc.RawBlock("typst", code) end
  local blocks = { typst("#block(breakable: false)[#grid(columns: (60fr, 40fr), gutter: 8pt, [") }
  for _, block in ipairs(text) do table.insert(blocks, block) end
  table.insert(blocks, typst("], ["))
  for _, block in ipairs(picture) do table.insert(blocks, block) end
  table.insert(blocks, typst("])]"))
  return blocks
end

-- Ink of verdicts on paper; the words say the same.
local inks = {
  ["supported"] = "#0b4a20", ["true-in-part"] = "#5c4100", ["too-imprecise"] = "#3b2f73",
  ["contradicted"] = "#7a1710", ["not-testable"] = "#3d444d",
}

function Span(span)
  if FORMAT ~= "typst" then return nil end
  for _, class in ipairs(span.classes) do
    if inks[class] then
      local begins = pandoc.RawInline("typst", '#text(fill: rgb("' .. inks[class] .. '"), weight: "bold")[')
      return { begins, pandoc.Span(span.content), pandoc.RawInline("typst", "]") }
    end
  end
end

function Div(div)
  if FORMAT ~= "typst" then return nil end
  if div.classes:includes("notes") then return {} end
  if div.classes:includes("finding") then return beside(div) end
end
