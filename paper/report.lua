-- Divs of the report that HTML and paper show in ways of their own.
--
-- key: what to know before the findings, a little smaller on paper.
-- finding: its picture, with the caption below it, beside its text. notes: what is to be known of a figure or list, folded in HTML
-- (workflow/scripts/typeset.py makes details of it) and small on paper, its paragraphs in one.

local function is_picture(block)
  return block.t == "Para" and #block.content == 1 and block.content[1].t == "Image"
end

local function beside(div)
  local text, picture = {}, {}
  for _, block in ipairs(div.content) do
    local is_caption = block.t == "Div" and block.classes:includes("caption")
    table.insert((is_picture(block) or is_caption) and picture or text, block)
  end
  if #picture == 0 then return text end
  local typst = function(code) return pandoc.RawBlock("typst", code) end
  local blocks = {
    typst("#block(breakable: false, below: 0.7em)[#set text(size: 8pt)\n#set par(leading: 0.58em)\n#show heading: set text(9.5pt)\n#show table: set text(7pt)\n"
      .. "#grid(columns: (63fr, 37fr), gutter: 8pt, ["),
  }
  for _, block in ipairs(text) do table.insert(blocks, block) end
  table.insert(blocks, typst("], ["))
  for _, block in ipairs(picture) do
    if is_picture(block) then
      block.content[1].attributes.width = nil
      table.insert(blocks, block)
    else
      table.insert(blocks, typst("#v(-0.6em)#[#set text(size: 6pt, fill: luma(70))\n#set par(leading: 0.4em)"))
      for _, part in ipairs(block.content) do table.insert(blocks, part) end
      table.insert(blocks, typst("]"))
    end
  end
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

-- Height by width of a drawing, and its width in points, as it says itself.
local function shape(path)
  local file = io.open(path)
  if not file then return nil end
  local head = file:read(2000) or ""
  file:close()
  local width = tonumber(head:match("<svg[^>]-width='([%d.]+)pt'"))
  local height = tonumber(head:match("<svg[^>]-height='([%d.]+)pt'"))
  if not (width and height) then return nil end
  return height / width, width
end

-- Narrower than the text, and lower than half a page, so that figures share pages with their claims;
-- but no narrower than can be read: seven points of a drawing become at least five.
local widest, narrowest, highest = 0.86, 0.6, 0.56
-- Of the text of a page, in points: report.typ.
local of_text = 493
local smallest = 5 / 7
function Image(image)
  if FORMAT ~= "typst" then return nil end
  local lower, width = shape(image.src)
  local part = widest
  if lower then
    part = math.min(widest, math.max(narrowest, highest / lower))
    part = math.min(1, math.max(part, smallest * width / of_text))
  end
  image.attributes.width = string.format("%.0f%%", 100 * part)
  return image
end

local function small(div)
  local begins = pandoc.RawBlock("typst", '#block(below: 0.9em)[#set text(size: 6.2pt, fill: luma(70))\n#set par(leading: 0.45em)')
  local blocks, joined = { begins }, {}
  for _, block in ipairs(div.content) do
    -- A page has the picture beside its notes: what stands there is not said again.
    local first = block.t == "Para" and #block.content == 1 and block.content[1]
    if first and first.t == "Span" and first.classes:includes("printed") then
    elseif block.t == "Para" then
      if #joined > 0 then table.insert(joined, pandoc.Space()) end
      for _, inline in ipairs(block.content) do table.insert(joined, inline) end
    else
      table.insert(blocks, block)
    end
  end
  if #joined > 0 then table.insert(blocks, pandoc.Para(joined)) end
  if #blocks == 1 then return {} end
  table.insert(blocks, pandoc.RawBlock("typst", "]"))
  return blocks
end

function Div(div)
  if FORMAT ~= "typst" then return nil end
  if div.classes:includes("notes") then return small(div) end
  if div.classes:includes("finding") then return beside(div) end
  if div.classes:includes("key") then
    local begins = pandoc.RawBlock("typst", "#[#set text(size: 7.8pt)")
    local blocks = { begins }
    for _, block in ipairs(div.content) do table.insert(blocks, block) end
    table.insert(blocks, pandoc.RawBlock("typst", "]"))
    return blocks
  end
end
