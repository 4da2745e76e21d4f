internal import KithMessages

extension Lexicon {
  /// English.
  static let english = Lexicon(Self.englishGroups, longest: 5) { TimeReader.english($0, $1) }

  private static let englishGroups: [(Role, String)] =
    [
      (
        .filler,
        "please|kith|hey|hi|ok|okay|um|uh|er|so|well|can you|could you|would you|i want to|i would like to|i'd like to"
      ),
      (
        .plain,
        """
        her|him|his|it|only|just|already|again|now|well|fine|slowly|quickly|alone|herself|himself|by herself|by himself|on her own|
        on his own|as usual|on time|too|also|really|yes|usual|earlier|happily|hungrily|been|was|were|has|have|got|there|from me|is|are|being|right
        """
      ),
      (
        .amount,
        """
        some|all|half|most|more|little|bit|few|whole|full|both|everything|every bit|much|enough|of it|of them|and a half|a third|
        1 third|2 thirds|a quarter|1 quarter|3 quarters
        """
      ),
      (
        .kind,
        """
        small|large|big|good|normal|dry|soft|loose|hard|watery|wet|dark|light|fresh|boiled|fried|grilled|steamed|clean|hot|cold|
        warm|ml|mg|milligrams|millilitres|milliliters|percent|units|unit|portion|portions|
        plate|bowl|bowls|cup|cups|glass|glasses|spoon|spoons|spoonful|spoonfuls|slice|slices|piece|pieces|drop|puff|puffs|blood|pressure|
        blood pressure|sleeping|eye|eyes|new|visiting|pain|fever|knee|leg|arm|back|foot|shoulder|skin
        """
      ),
      (.kind, Self.englishSides),
      (.link, "the|a|an|of|in|on|at|for|by|that|this|as|around|about"),
      (.joiner, "and|plus"), (.to, "to"), (.aside, "after|before|with|during"),
      (
        .subject,
        """
        she|he|she's|he's|mother|mom|mum|mama|mommy|mummy|mother's|mom's|mum's|father|dad|daddy|papa|dad's|father's|grandma|grandmother|
        granny|nana|grandpa|grandfather|granddad|my mother|my mom|my mum|my father|my dad|my grandma|my grandmother|my grandpa|
        my grandfather|my wife|my husband|our mother|our mom|our mum|our father|our dad|the patient
        """
      ),
      (.speaker, "i|i've|i just"), (.speakers, "we|we've"), (.own, "my|our|your|mine|me|us|myself|you"),
      (
        .others,
        """
        dog|dogs|dog's|cat|cats|cat's|pet|pets|neighbour|neighbor|neighbour's|neighbor's|friend|friends|friend's|son|son's|daughter|
        daughter's|brother|brother's|sister|sister's|husband|husband's|wife|wife's|baby|child|children|kid|kids|grandson|granddaughter|
        somebody|someone|visitor|visitors
        """
      ),
      (
        .command,
        "log|record|note down|write down|register|add|log that|record that|write down that|note down that"
      ),
      (
        .memo,
        """
        take a memo|make a memo|add a memo|write a memo|record a memo|log a memo|log memo|log a free memo|log free memo|record memo|
        take a note|make a note|add a note|note that|make a note that|take a note that|log a note
        """
      ),
      (.remind, "remind me|remind us|remind|reminder|reminders|reminding|remind me to|remind us to"),
      (.daily, "daily|every|every day|each day|each"), (.call, "call|phone|ring|telephone|to call|to phone|to ring"),
      (.on, "turn on|switch on|start|enable"), (.off, "turn off|switch off|stop|disable|cancel"),
      (
        .question,
        """
        what|what's|who|who's|why|how|which|where|whose|did|did you|have you|do|does|how often|how many|how many times|how much|tell me|read me|show me|tell us|read us|
        read|list|list me
        """
      ),
      (.when, "when|what time|at what time|how long ago|how long since|how long is it since"),
      (.last, "last|latest|most recent|last time|the last time|most recently|previous"),
      (.log, "logged|recorded|happened|entries|entry|care log|summary|noted|written down|diary|records"),
      (.asked(.meal), "eat|eating"),
      (.name(.medication), "medication|medications|medicine|medicines|meds"), (.name(.meal), "meal|meals"),
      (.name(.toileting), "toileting|toilet"), (.name(.medicalVisit), "medical visit|medical visits|doctor's visit"),
    ] + Self.englishThings + Self.englishVerbs + Self.englishDoubts

  /// "Left eye", "right knee". "Left" alone may be what was not eaten, and "right" alone asks.
  private static let englishSides: String = ["left", "right"].flatMap { side in
    ["eye", "ear", "knee", "leg", "arm", "foot", "shoulder", "hand", "hip", "side"].map { "\(side) \($0)" }
  }.joined(separator: "|")

  /// What people also say of lists, shops and doors; they record only a category by its name.
  static let englishWeakCommands: Set<String> = ["add", "register"]

  private static let englishThings: [(Role, String)] = [
    (
      .object(.medication),
      """
      pill|pills|tablet|tablets|capsule|capsules|dose|insulin|aspirin|antibiotic|antibiotics|eye drops|ear drops|drops|ointment|inhaler|
      laxative|painkiller|painkillers|vitamin|vitamins|syrup|cough syrup|injection|patch|compress|blood pressure pill|blood pressure pills|
      sleeping pill|sleeping pills|water pill|water pills
      """
    ),
    (
      .object(.meal),
      """
      breakfast|lunch|dinner|supper|brunch|snack|snacks|food|soup|miso soup|rice|rice ball|rice balls|porridge|bread|toast|fish|meat|
      chicken|egg|eggs|vegetables|fruit|apple|banana|orange|salad|noodles|udon|sandwich|yogurt|yoghurt|pudding|cake|dessert|potatoes|tea|
      water|juice|milk|coffee|cookies|cookie|biscuits|biscuit|sandwiches|apples|bananas|oranges|pear|grapes|strawberries|cheese|butter|jam|
      honey|ham|sausage|beef|pork|salmon|tuna|tofu|curry|pasta|spaghetti|pizza|stew|beans|peas|carrots|tomato|tomatoes|potato|pumpkin|spinach|
      cereal|oatmeal|pancakes|ice cream|jelly|chocolate|broth|custard|applesauce|green tea|nuts
      """
    ),
    (
      .object(.toileting),
      "bathroom|commode|diaper|diapers|nappy|pad|incontinence pad|bowel movement|stool|urine|catheter|loo|restroom|bedpan"
    ),
    (
      .object(.medicalVisit),
      """
      doctor|doctor's|hospital|clinic|dentist|dentist's|nurse|physiotherapist|therapist|specialist|checkup|check-up|eye doctor|
      visiting nurse|home nurse
      """
    ),
  ]

  private static let englishVerbs: [(Role, String)] = [
    (.verb(Verb(categories: [.medication], to: [.toileting, .medicalVisit], isPassive: true)), "took|taken"),
    (.verb(Verb(categories: [.medication], isPassive: true)), "swallowed|received"),
    (.verb(Verb(categories: [.medication], doer: .either, isPassive: true)), "injected|applied"),
    (.verb(Verb(categories: [.medication], doer: .giver, isPassive: true)), "administered"),
    (.verb(Verb(categories: [.medication, .meal], doer: .giver, isPassive: true)), "gave"),
    (.verb(Verb(categories: [.medication, .meal], doer: .giver, isPassive: true)), "given"),
    (.verb(Verb(categories: [.medication, .meal], isPassive: true)), "was given|been given|were given"),
    (.verb(Verb(categories: [.medication, .meal, .toileting])), "had"),
    (.verb(Verb(categories: [.meal], whole: .meal, isPassive: true)), "ate|eaten"),
    (.verb(Verb(categories: [.meal])), "finished"), (.verb(Verb(categories: [.meal], isPassive: true)), "had eaten"),
    (.verb(Verb(categories: [.meal, .medication])), "drank|drunk"),
    (.verb(Verb(categories: [.meal], doer: .giver)), "fed"),
    (.verb(Verb(categories: [], to: [.toileting, .medicalVisit])), "went|been to"),
    (.verb(Verb(categories: [], to: [.toileting, .medicalVisit], doer: .giver)), "helped|brought|accompanied|drove"),
    (.verb(Verb(categories: [], to: [.toileting, .medicalVisit], doer: .either)), "walked"),
    (.verb(Verb(categories: [.toileting])), "used"),
    (.verb(Verb(categories: [.toileting], doer: .either, isPassive: true)), "changed|emptied"),
    (.verb(Verb(categories: [.toileting], whole: .toileting)), "urinated|peed|pooped"),
    (.verb(Verb(categories: [.medicalVisit], isPassive: true)), "saw|visited|seen"),
    (.verb(Verb(categories: [.medicalVisit], doer: .either, isPassive: true)), "came|came by"),
  ]

  private static let englishDoubts: [(Role, String)] = [
    (
      .doubt(.negated),
      """
      not|no|never|nothing|nobody|none|without|neither|nor|refused|refuses|skipped|missed|forgot|forgotten|forget|instead|stopped|spat|
      vomited|threw up|didn't|doesn't|don't|hasn't|haven't|wasn't|isn't|weren't|won't|can't|cannot|couldn't|wouldn't|hadn't|didnt|hasnt|
      wasnt|dont|cant|wont|aren't|shouldn't|no one|unable|declined|yet|left|leftovers|dropped|spilled|spilt|ran out|run out|out of|thrown away|threw away|threw it away|hid|
      lost|broken|expired|empty|cancelled|canceled
      """
    ),
    (
      .doubt(.planned),
      """
      will|i'll|we'll|she'll|he'll|going to|gonna|about to|later|soon|wants|want|needs|need|needs to|has to|have to|must|plan|plans|let's|
      supposed to|ready to|time to|shall|wants to|want to|tomorrow's|booked|scheduled|rescheduled|postponed|appointment|appointments|
      doctor's appointment|reservation|prescription|prescriptions|refill|refills|dosage|schedule|chart
      """
    ),
    (
      .doubt(.conditional),
      "if|unless|would|could|should|might|can|whether|whenever|once|until|or|would have|should have|could have"
    ),
    (
      .doubt(.unsure),
      """
      maybe|perhaps|probably|think|thought|guess|almost|nearly|believe|suppose|supposed|seems|apparently|hopefully|hope|may|may have|sure|
      too much|too many|wrong|zero|now and then|sometimes|usually|always|often|normally|from time to time|by mistake|mistake|
      error|side effect|side effects|reaction|overdose|allergic|allergy|double
      """
    ),
    (
      .doubt(.several),
      "sorry|oops|mean|meant|i mean|i meant|scratch|scratch that|correction|actually|rather|wait|make that|no wait|twice|times"
    ),
    (
      .doubt(.whichTime),
      """
      hour|hours|minute|minutes|on the 1st|on the first|on the second|on the third|on the fourth|on the fifth|on the sixth|on the seventh|
      on the eighth|on the ninth|on the tenth
      """
    ),
    (.doubt(.reported), "said|says|say|told|tells|asked|asks|heard|hears|claims|according|wrote|writes"),
  ]

  /// What takes back the last entry; a whole sentence.
  static let englishUndo: Set<String> = [
    "undo", "undo the last entry", "undo last entry", "delete the last entry", "delete last entry",
    "remove the last entry",
  ]

  /// What takes back the entry that was just read out; a whole sentence.
  static let englishWrong: Set<String> = [
    "undo that", "undo it", "delete that", "delete that entry", "take that back", "that was wrong", "no that was wrong",
    "that is wrong", "that's wrong", "no that's wrong", "scratch that", "forget that",
  ]
}
