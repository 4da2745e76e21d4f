<?php
// Reads vCards by sabre/vobject (php-sabre-vobject of Debian): base64 of a card a line, out comes JSON of its properties a line.
require_once "Sabre/VObject/autoload.php";
error_reporting(E_ALL & ~E_DEPRECATED);

/** A text as sabre's own users read it: its reader has taken line breaks and backslashes only. */
function plain($text) {
  return strtr($text, array("\\," => ",", "\\;" => ";", "\\:" => ":"));
}

function properties($card) {
  $found = array();
  foreach (Sabre\VObject\Reader::read($card)->children() as $property) {
    $parameters = array();
    foreach ($property->parameters as $parameter) {
      $parameters[] = array(strtoupper($parameter->name), (string) $parameter->value);
    }
    $isCompound = $property instanceof Sabre\VObject\Property\Compound;
    $found[] = array(
      "name" => strtoupper($property->name),
      "parameters" => $parameters,
      "values" => $isCompound ? $property->getParts() : array(plain($property->value)),
    );
  }
  return $found;
}

while (($line = fgets(STDIN)) !== false) {
  try {
    $answer = array("properties" => properties(base64_decode($line)));
  } catch (Exception $error) {
    $answer = array("error" => $error->getMessage());
  }
  echo json_encode($answer, JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
