-- Fills in numbers: {{ max_weight_unscaled_d_k_64 }} becomes the value of that key in the metadata.
--
--   pandoc --metadata-file=data/variables.yml --lua-filter=workflow/numbers/pandoc.lua chapter.md -o chapter.html
--
-- In text and in mathematics, in titles, tables and captions. Code is left as it is.

local MARK = "{{%s*([^%s{}]+)%s*}}"
local known

local function common_letters(one, other)
  local length = 0
  while length < #one and one:byte(length + 1) == other:byte(length + 1) do
    length = length + 1
  end
  return length
end

local function nearest(key)
  local found, most = nil, 0
  for candidate in pairs(known) do
    local length = common_letters(key, candidate)
    if length > most or (length == most and found and candidate < found) then
      found, most = candidate, length
    end
  end
  return found, most
end

-- Doubled braces have other uses, such as grouping in mathematics: only what begins like a number's key is taken for one.
local LIKE_A_KEY = 5

local function look_up(key)
  local value = known[key]
  if value == nil then
    local near, length = nearest(key)
    if length >= LIKE_A_KEY then
      io.stderr:write("There is no number called " .. key .. "; there is " .. near .. ".\n")
      os.exit(1)
    end
  end
  return value
end

local function in_math(key)
  local value = look_up(key)
  if value == nil then
    return nil
  end
  local parts = {}
  for _, inline in ipairs(value) do
    parts[#parts + 1] = inline.t == "Math" and inline.text or pandoc.utils.stringify(inline)
  end
  return (table.concat(parts):gsub("±", "\\pm "))
end

-- The text that starts at a place, and the last place that belongs to it: "{{", " ", "key", " ", "}}" are five.
local function text_from(inlines, place)
  local text = inlines[place].text
  if text:sub(-2) ~= "{{" then
    return text, place
  end
  local whole = text
  for last = place + 1, math.min(place + 4, #inlines) do
    local inline = inlines[last]
    if inline.t == "Str" then
      whole = whole .. inline.text
      if inline.text:find("}}", 1, true) then
        return whole, last
      end
    elseif inline.t ~= "Space" and inline.t ~= "SoftBreak" then
      break
    end
  end
  return text, place
end

-- The text with values for keys, or nothing if it holds no key.
local function filled(text)
  local result = pandoc.List()
  local place, found = 1, false
  for first, key, after in text:gmatch("(){{%s*([^%s{}]+)%s*}}()") do
    local value = look_up(key)
    if value then
      if first > place then
        result:insert(pandoc.Str(text:sub(place, first - 1)))
      end
      result:extend(value)
      place, found = after, true
    end
  end
  if place <= #text then
    result:insert(pandoc.Str(text:sub(place)))
  end
  return found and result or nil
end

local function read_numbers(meta)
  known = {}
  for key, value in pairs(meta) do
    if pandoc.utils.type(value) == "Inlines" then
      known[key] = value
    end
  end
end

local fill = {
  Inlines = function(inlines)
    local result = pandoc.List()
    local place = 1
    while place <= #inlines do
      local last, values = place, nil
      if inlines[place].t == "Str" and inlines[place].text:find("{{", 1, true) then
        local text
        text, last = text_from(inlines, place)
        values = filled(text)
      end
      if values then
        result:extend(values)
      else
        last = place
        result:insert(inlines[place])
      end
      place = last + 1
    end
    return result
  end,
  Math = function(math_)
    math_.text = math_.text:gsub(MARK, in_math)
    return math_
  end,
}

return { { Meta = read_numbers }, fill }
